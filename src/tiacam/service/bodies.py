"""Receiving bodies: bounded in bytes, in time and in what all of them hold together."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from fastapi import Request
from starlette.requests import ClientDisconnect

from tiacam.errors import MediaTypeError, RequestError, SlowRequestError, UploadTooLargeError
from tiacam.service.core import Service


@asynccontextmanager
async def received(request: Request, service: Service, limit: int | None = None) -> AsyncIterator[bytes]:
    """The whole body, held against the budget until the block is left."""
    limit = service.settings.max_bytes if limit is None else limit
    check_length(request, limit)
    with service.budget.hold() as take:
        try:
            async with asyncio.timeout(service.settings.receive_s):
                body = await collect(request, limit, take)
        except TimeoutError as error:
            raise SlowRequestError(f"the body took over {service.settings.receive_s:g} seconds") from error
        except ClientDisconnect as error:
            raise RequestError("the connection was closed before the body was complete") from error
        yield body


def check_length(request: Request, limit: int) -> None:
    """Refuse by the declared length, before a byte is received."""
    declared = request.headers.get("content-length", "")
    if declared.isdigit() and int(declared) > limit:
        raise too_large(limit)


async def collect(request: Request, limit: int, take: Callable[[int], None]) -> bytes:
    pieces: list[bytes] = []
    size = 0
    async for piece in request.stream():
        size += len(piece)
        if size > limit:
            raise too_large(limit)
        take(len(piece))
        pieces.append(piece)
    return b"".join(pieces)


def too_large(limit: int) -> UploadTooLargeError:
    return UploadTooLargeError(f"the body has more than {limit:,} bytes, the most that this service takes")


def check_image_type(request: Request) -> None:
    """Refuse what is declared as something else than a picture; bytes without a declared type are looked at."""
    declared = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if declared and not declared.startswith("image/") and declared != "application/octet-stream":
        raise MediaTypeError(
            f"the body is declared as {declared[:80]!r}, wanted image/* (the file itself, no form)"
        )
