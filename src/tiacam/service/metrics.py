"""What Prometheus may ask: requests, times, places, bytes, and what was answered."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST

from tiacam.service.limits import ByteBudget
from tiacam.service.pool import WorkPool

BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)
CONTENT_TYPE = CONTENT_TYPE_LATEST


class Metrics:
    """Counters of one service; not the process-wide ones, so that two services in a test do not mix."""

    def __init__(self, pool: WorkPool, budget: ByteBudget) -> None:
        self._registry = CollectorRegistry()
        labels = ("method", "route", "status")
        self._requests = Counter("tiacam_requests", "Requests answered.", labels, registry=self._registry)
        self._seconds = Histogram(
            "tiacam_request_seconds",
            "Time to the answer.",
            ("route",),
            buckets=BUCKETS,
            registry=self._registry,
        )
        self._photos = Counter("tiacam_photos", "Photos read.", ("registered",), registry=self._registry)
        self._registered = Counter("tiacam_registered", "Records acknowledged.", registry=self._registry)
        places = Gauge("tiacam_places_taken", "Pictures worked on or waiting.", registry=self._registry)
        places.set_function(lambda: pool.taken)
        held = Gauge("tiacam_upload_bytes", "Bytes of bodies in memory.", registry=self._registry)
        held.set_function(lambda: budget.held)

    def answered(self, method: str, route: str, status: int, seconds: float) -> None:
        self._requests.labels(method, route, str(status)).inc()
        self._seconds.labels(route).observe(seconds)

    def read(self, registered: bool) -> None:
        self._photos.labels("yes" if registered else "no").inc()

    def registered(self) -> None:
        self._registered.inc()

    def render(self) -> bytes:
        return generate_latest(self._registry)
