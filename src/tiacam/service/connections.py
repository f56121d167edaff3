"""Connections: how long a head may take, how long it may be, and what is said where it is not one."""

from __future__ import annotations

import asyncio

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from tiacam.errors import LargeHeadersError, LongAddressError, RequestError
from tiacam.service.problems import name_of, problem

HEAD_S = 20  # for the head of a request to arrive, from its first byte or from connecting
LONGEST_HEAD = 64 * 1024  # what is read of a head before it is refused; what is accepted is less
LINGER_S = 1.0  # what still comes of a refused head is dropped for so long


class PatientProtocol(H11Protocol):
    """HTTP/1.1 that gives up on a connection which does not send a whole head in time, the first or a later one,
    and that says in words why it refuses a head which never reached the application."""

    _head_timer: asyncio.TimerHandle | None = None
    _refused = False

    def connection_made(self, transport) -> None:  # type: ignore[no-untyped-def]
        super().connection_made(transport)
        self._head_timer = self.loop.call_later(HEAD_S, self._give_up)

    def data_received(self, data: bytes) -> None:
        if self._refused:
            return
        super().data_received(data)
        if self.conn.their_state is not h11.IDLE:  # a head is there whole
            self._disarm()
        elif self._head_timer is None:
            self._head_timer = self.loop.call_later(HEAD_S, self._give_up)

    def connection_lost(self, exc: Exception | None) -> None:
        self._disarm()
        super().connection_lost(exc)

    def _disarm(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None

    def _give_up(self) -> None:
        self._head_timer = None
        if self.conn.their_state is h11.IDLE and not self.transport.is_closing():
            self.transport.close()

    def send_400_response(self, msg: str) -> None:  # noqa: ARG002
        """Refuse and linger: a connection closed over unread bytes is reset, and the refusal would be lost."""
        self._refused = True
        error = why_refused(self.conn.trailing_data[0])
        content = problem(error.http_status, name_of(error), str(error))
        headers = [*content.raw_headers, (b"connection", b"close")]
        answer = [
            h11.Response(status_code=content.status_code, headers=headers),
            h11.Data(data=bytes(content.body)),
            h11.EndOfMessage(),
        ]
        self.transport.write(b"".join(self.conn.send(event) or b"" for event in answer))
        self._disarm()
        self.loop.call_later(LINGER_S, self.transport.close)


def why_refused(received: bytes) -> RequestError:
    """What is wrong with a head that could not be read: its first line is too long, the rest is, or it is no HTTP."""
    if len(received) <= LONGEST_HEAD:
        return RequestError("this is no HTTP/1.1 request")
    if b"\n" not in received:
        return LongAddressError(f"the address has more than {LONGEST_HEAD:,} characters")
    return LargeHeadersError(f"the headers have more than {LONGEST_HEAD:,} bytes")
