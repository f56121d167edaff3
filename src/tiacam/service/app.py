"""The application: routes, errors, page and life cycle put together."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from fastapi import FastAPI

from tiacam import __version__
from tiacam.service import problems
from tiacam.service.core import Service
from tiacam.service.gate import Gate
from tiacam.service.logs import LOG
from tiacam.service.routes import operations, page, proofs, provenance, reading, records, resolution

DESCRIPTION = """Register pictures with a message, their pixels untouched; read the message from a photo of the picture.

Tokens: `Authorization: Bearer tia_…` with the scopes `read`, `register` and `admin`. A refusal is
`{"error": …, "message": …}`. 429 and 503 say in `Retry-After` when to come back."""


def create_app(start: Callable[[], Service]) -> FastAPI:
    """The application of one service, opened by `start` when the server is up and closed when it goes down."""

    @asynccontextmanager
    async def life(app: FastAPI) -> AsyncIterator[None]:
        service = await asyncio.to_thread(start)
        app.state.service = service
        LOG.info("started", model=service.tiacam.model.id, workers=service.settings.workers)
        try:
            yield
        finally:
            await asyncio.to_thread(service.close)
            LOG.info("stopped")

    app = FastAPI(
        title="TIACam",
        version=__version__,
        description=DESCRIPTION,
        lifespan=life,
        docs_url=None,  # the usual page loads its scripts from elsewhere; ours is in `page`
        redoc_url=None,
    )
    problems.install(app)
    for module in (reading, records, proofs, resolution, provenance, operations, page):
        app.include_router(module.router)
    app.add_middleware(Gate)
    return app
