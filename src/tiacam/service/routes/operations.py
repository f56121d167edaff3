"""`/health` and `/metrics`: for whoever runs the service."""

from __future__ import annotations

import asyncio

from fastapi import APIRouter, Request, Response
from pydantic import BaseModel

from tiacam import __version__
from tiacam.service.guard import service_of
from tiacam.service.metrics import CONTENT_TYPE
from tiacam.service.problems import COMMON, refusals
from tiacam.service.routes.records import Admin

router = APIRouter(tags=["operations"])


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
    records = await asyncio.to_thread(service.tiacam.registry.__len__)
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
