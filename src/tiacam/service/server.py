"""Running the service: one process, one registry, until it is told to stop."""

from __future__ import annotations

import logging
import signal
import socket
import ssl
from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import uvicorn
from fastapi import FastAPI

from tiacam.errors import UsageError
from tiacam.service.app import create_app
from tiacam.service.connections import LONGEST_HEAD, PatientProtocol
from tiacam.service.core import Service
from tiacam.service.logs import LibraryLog
from tiacam.service.settings import Settings

BACKLOG = 2048
LAST_PORT = 65535
KEEP_ALIVE_S = 10
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


@dataclass(frozen=True)
class Listener:
    """An address that is ours: bound before anything else is opened, so that a taken one is told at once."""

    socket: socket.socket
    address: Address


def listen(address: Address) -> Listener:
    """Take the address and check the certificate, or say why not; port 0 is any that is free."""
    check_certificate(address)
    if not 0 <= address.port <= LAST_PORT:  # getaddrinfo would cut it down to one that exists
        raise UsageError(f"the port is {address.port}, wanted 0 to {LAST_PORT}")
    try:
        family, _, _, _, place = socket.getaddrinfo(address.host, address.port, type=socket.SOCK_STREAM)[0]
        bound = socket.create_server(place[:2], family=family, backlog=BACKLOG)
        # Connections take this over. Otherwise an answer's body waits until its head is acknowledged: 40 ms.
        bound.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    except OSError as error:
        raise UsageError(
            f"cannot listen at {address.host} port {address.port}: {error.strerror or error}"
        ) from error
    return Listener(bound, replace(address, port=int(bound.getsockname()[1])))


def check_certificate(address: Address) -> None:
    if address.certificate is None:
        return
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(address.certificate, address.private_key)
    except (OSError, ValueError) as error:
        names = f"{address.certificate} and {address.private_key}"
        raise UsageError(f"{names} are no certificate with its key (PEM): {error}") from error


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
        log_config=None,
        log_level="warning",
        ws="none",
        lifespan="on",
    )


def serve(service: Service, listener: Listener) -> None:
    """Answer until SIGINT or SIGTERM; what is being worked on is finished first."""
    logging.basicConfig(handlers=[LibraryLog()])
    cv2.setNumThreads(1)  # the pool works on several pictures at once; more threads only wait, actively
    app = create_app(lambda: service)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: None)  # uvicorn hands a signal on when it has done what it asks for
    uvicorn.Server(configure(app, listener.address, service.settings)).run(sockets=[listener.socket])
