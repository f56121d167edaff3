"""The outermost layer: sizes of the request's head, an id, a log line, a count, and headers for the browser."""

from __future__ import annotations

import asyncio
import secrets
import time
import traceback
from contextlib import suppress

from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tiacam.errors import LargeHeadersError, LongAddressError, RequestError
from tiacam.service.guard import service_of
from tiacam.service.logs import LOG
from tiacam.service.problems import name_of, problem

SAFETY = [
    (b"content-security-policy", b"default-src 'self'; img-src 'self' blob: data:; media-src 'self' blob:; "
     b"object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"permissions-policy", b"camera=(self), microphone=(), geolocation=()"),
    (b"cross-origin-opener-policy", b"same-origin"),
]  # fmt: skip


DRAINED_BYTES = 4 << 20
DRAINED_S = 1.0


class Gate:
    """Every request passes here first, every answer last."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request = Request(scope)
        request.state.id = secrets.token_hex(8)
        body = Body(receive)
        started, status = time.perf_counter(), 500

        async def note(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                identity = (b"x-request-id", request.state.id.encode())
                message["headers"] = [*message["headers"], *SAFETY, identity]
                if status >= 400:
                    await body.drain()
            await send(message)

        try:
            await self._answer(request, scope, body.receive, note)
        finally:
            finish(request, status, time.perf_counter() - started)

    async def _answer(self, request: Request, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            check_head(request)
            await self._app(scope, receive, send)
        except RequestError as error:
            await problem(error.http_status, name_of(error), str(error))(scope, receive, send)
        except Exception as error:
            # The trace names code and no data; the error's own text might hold some.
            frames = traceback.format_tb(error.__traceback__)[-6:]
            LOG.error("crash", error=type(error).__name__, trace=frames, request=request.state.id)
            await problem(500, "internal", "the service failed; its log says where")(scope, receive, send)


class Body:
    """A request's body on its way: whether all of it has come."""

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self._whole = False

    async def receive(self) -> Message:
        message = await self._receive()
        self._whole = message["type"] != "http.request" or not message.get("more_body", False)
        return message

    async def drain(self) -> None:
        """Take in what is left of a refused body, within limits.

        A connection that is closed over unread bytes is reset, and the caller would never see the refusal.
        """
        left = DRAINED_BYTES
        with suppress(TimeoutError):
            async with asyncio.timeout(DRAINED_S):
                while not self._whole and left > 0:
                    left -= len((await self.receive()).get("body", b""))


def check_head(request: Request) -> None:
    settings = service_of(request).settings
    address = len(request.scope["raw_path"]) + len(request.scope["query_string"])
    if address > settings.max_address:
        raise LongAddressError(
            f"the address has {address:,} characters, at most {settings.max_address:,} are taken"
        )
    size = sum(len(name) + len(value) for name, value in request.scope["headers"])
    if size > settings.max_header_bytes:
        raise LargeHeadersError(
            f"the headers have {size:,} bytes, at most {settings.max_header_bytes:,} are taken"
        )


def finish(request: Request, status: int, seconds: float) -> None:
    """Count and log by the route's pattern: addresses may hold ids and values, patterns hold none."""
    route = getattr(request.scope.get("route"), "path", "none")
    service_of(request).metrics.answered(request.method, route, status, seconds)
    LOG.info(
        "request",
        request=request.state.id,
        method=request.method,
        route=route,
        status=status,
        ms=round(1e3 * seconds, 1),
        caller=getattr(request.state, "caller", None),
        bytes=request.headers.get("content-length"),
    )
