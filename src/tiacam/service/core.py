"""What the routes share: the product, its limits, its books."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tiacam.app import Tiacam
from tiacam.service.idempotency import KeyBook
from tiacam.service.limits import ByteBudget, RateLimit
from tiacam.service.manifests import ManifestShelf
from tiacam.service.metrics import Metrics
from tiacam.service.pool import WorkPool
from tiacam.service.settings import Settings
from tiacam.service.tokens import TokenBook


@dataclass(frozen=True)
class Service:
    """One running service; everything in it may be used from any thread."""

    tiacam: Tiacam
    settings: Settings
    tokens: TokenBook
    keys: KeyBook
    manifests: ManifestShelf
    pool: WorkPool
    rate: RateLimit
    budget: ByteBudget
    metrics: Metrics

    @classmethod
    def start(cls, tiacam: Tiacam, settings: Settings, tokens: TokenBook, state: Path) -> Service:
        """`state` is where idempotency keys are kept between runs."""
        pool, budget = WorkPool(settings.workers, settings.waiting), ByteBudget(settings.bytes_in_flight)
        return cls(
            tiacam=tiacam,
            settings=settings,
            tokens=tokens,
            keys=KeyBook(state),
            manifests=ManifestShelf(tiacam.registry),
            pool=pool,
            rate=RateLimit(settings.requests_per_minute),
            budget=budget,
            metrics=Metrics(pool, budget),
        )

    def close(self) -> None:
        """Finish what is being worked on, then close the registry."""
        self.pool.close()
        self.keys.close()
        self.tiacam.close()
