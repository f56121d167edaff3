"""`/health` and `/metrics`: for whoever runs the service."""

from __future__ import annotations

import asyncio
import time

from fastapi import APIRouter, Request, Response
from pydantic import BaseModel

from tiacam import __version__
from tiacam.service.core import Service
from tiacam.service.guard import service_of
from tiacam.service.metrics import CONTENT_TYPE
from tiacam.service.problems import COMMON, refusals
from tiacam.service.routes.records import Admin

router = APIRouter(tags=["operations"])
FRESH_S = 1.0


class RecordCount:
    """How many records there are, asked at most once a second: the question is open to everybody."""

    def __init__(self) -> None:
        self._lock = asyncio.Lock()
        self._asked: dict[int, tuple[float, int]] = {}  # by service: tests run several

    async def of(self, service: Service) -> int:
        async with self._lock:
            moment, count = self._asked.get(id(service), (0.0, 0))
            if time.monotonic() - moment > FRESH_S:
                count = await asyncio.to_thread(service.tiacam.registry.__len__)
                self._asked = {id(service): (time.monotonic(), count)}
            return count


COUNT = RecordCount()


class Health(BaseModel):
    """That the service answers, and with what."""

    status: str
    version: str
    model: str
    records: int
    places: int
    taken: int


@router.get("/health", responses=refusals(503), summary="Is the service well?")
async def health(request: Request) -> Health:
    """Open to everybody. 503 where the registry does not answer."""
    service = service_of(request)
    records = await COUNT.of(service)
    return Health(
        status="ok",
        version=__version__,
        model=service.tiacam.model.id,
        records=records,
        places=service.pool.places,
        taken=service.pool.taken,
    )


@router.get(
    "/metrics",
    response_class=Response,
    responses=refusals(*COMMON) | {200: {"content": {"text/plain": {}}, "description": "Prometheus text"}},
    summary="Counters for Prometheus",
)
async def metrics(request: Request, _: Admin) -> Response:
    return Response(service_of(request).metrics.render(), media_type=CONTENT_TYPE)
