"""Running the service: one process, one registry, until it is told to stop."""

from __future__ import annotations

import signal
from dataclasses import dataclass
from pathlib import Path

import uvicorn
from fastapi import FastAPI
from uvicorn.protocols.http.h11_impl import H11Protocol

from tiacam.service.app import create_app
from tiacam.service.core import Service
from tiacam.service.settings import Settings

HEAD_S = 20  # for the head of a connection's first request to arrive
KEEP_ALIVE_S = 10
LONGEST_HEAD = 64 * 1024  # what is read of a head before it is refused; what is accepted is less
CONNECTIONS = 512


@dataclass(frozen=True)
class Address:
    """Where a service listens; with a certificate and its key it speaks TLS."""

    host: str = "127.0.0.1"
    port: int = 8765
    certificate: Path | None = None
    private_key: Path | None = None

    @property
    def is_local(self) -> bool:
        return self.host in {"127.0.0.1", "::1", "localhost"}

    @property
    def url(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{'https' if self.certificate else 'http'}://{host}:{self.port}"


class PatientProtocol(H11Protocol):
    """HTTP/1.1 that gives up on a connection which sends no whole head in time."""

    def connection_made(self, transport) -> None:  # type: ignore[no-untyped-def]
        super().connection_made(transport)
        self._head_timer = self.loop.call_later(HEAD_S, self._give_up)

    def connection_lost(self, exc: Exception | None) -> None:
        self._head_timer.cancel()
        super().connection_lost(exc)

    def _give_up(self) -> None:
        begun: object = self.cycle  # uvicorn declares it set, but it is None before the first request
        if begun is None and not self.transport.is_closing():
            self.transport.close()


def configure(app: FastAPI, address: Address, settings: Settings) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        host=address.host,
        port=address.port,
        ssl_certfile=str(address.certificate) if address.certificate else None,
        ssl_keyfile=str(address.private_key) if address.private_key else None,
        http=PatientProtocol,
        h11_max_incomplete_event_size=LONGEST_HEAD,
        limit_concurrency=CONNECTIONS,
        timeout_keep_alive=KEEP_ALIVE_S,
        timeout_graceful_shutdown=int(settings.work_s) + 5,
        server_header=False,
        access_log=False,  # the gate writes a line of its own, without addresses
        log_level="warning",
        ws="none",
        lifespan="on",
    )


def serve(service: Service, address: Address) -> None:
    """Answer until SIGINT or SIGTERM; what is being worked on is finished first."""
    app = create_app(lambda: service)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: None)  # uvicorn hands a signal on when it has done what it asks for
    uvicorn.Server(configure(app, address, service.settings)).run()
