"""A real service on loopback, in a process of its own, and a client for it."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import requests

import tiacam
from tiacam.registry import beside
from tiacam.service.tokens import Scope, add_token

PICTURES = Path(tiacam.__file__).parent / "cli" / "pictures"
COFFEE, ROCKET, HORSE = ((PICTURES / f"{name}.jpg").read_bytes() for name in ("coffee", "rocket", "horse"))
NOBODYS = (PICTURES / "clock.jpg").read_bytes()  # no test registers it
STARTING_S = 180.0


@dataclass(frozen=True)
class Running:
    """A service that answers; requests go out under the token that is named."""

    url: str
    tokens: dict[str, str]
    process: subprocess.Popen[str]
    log: Path
    registry: str | Path

    def send(self, method: str, path: str, token: str | None = "all", **options: Any) -> requests.Response:
        headers = dict(options.pop("headers", {}))
        if token is not None:
            headers.setdefault("Authorization", f"Bearer {self.tokens.get(token, token)}")
        return requests.request(method, self.url + path, headers=headers, timeout=600, **options)

    def register(self, picture: bytes, message: str = "owner 4711", **options: Any) -> requests.Response:
        fields = {"message": message, **options.pop("fields", {})}
        files = {"picture": ("picture.jpg", picture), **options.pop("files", {})}
        return self.send("POST", "/v1/records", data=fields, files=files, **options)

    def read(
        self, photo: bytes, path: str = "/v1/read", kind: str = "image/jpeg", **options: Any
    ) -> requests.Response:
        headers = {"Content-Type": kind, **options.pop("headers", {})}
        return self.send("POST", path, data=photo, headers=headers, **options)

    def stop(self) -> int:
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(120)


@contextmanager
def running(folder: Path, *arguments: object, registry: str | Path | None = None) -> Iterator[Running]:
    """A service over a registry, by default one in `folder`, ended with the block."""
    registry = registry or folder / "r.tiacam"
    tokens = make_tokens(beside(registry, ".tokens"))
    port = free_port()
    log = folder / f"log-{port}"
    command = [
        sys.executable,
        "-m",
        "tiacam.cli",
        "serve",
        "--registry",
        registry,
        "--port",
        port,
        *arguments,
    ]
    with log.open("w", encoding="utf-8") as stream:
        process = subprocess.Popen(
            [str(part) for part in command],
            stderr=stream,
            text=True,
            env={**os.environ, "OMP_NUM_THREADS": "1"},
        )
    service = Running(f"http://127.0.0.1:{port}", tokens, process, log, registry)
    try:
        wait_for(service)
        service.tokens["link"] = re.findall(r"#token=(\S+)", log.read_text(encoding="utf-8"))[0]
        yield service
    finally:
        if process.poll() is None:
            process.kill()
        process.wait(30)


def make_tokens(path: Path) -> dict[str, str]:
    """One token for each scope, and one for all of them; kept beside the file, so that a restart knows them."""
    wanted = {scope.value: [scope] for scope in Scope} | {"all": list(Scope)}
    plain = path.with_suffix(".plain")
    if not plain.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        lines = [f"{name} {add_token(path, name, scopes).text}" for name, scopes in wanted.items()]
        plain.write_text("\n".join(lines), encoding="utf-8")
    return dict(line.split() for line in plain.read_text(encoding="utf-8").splitlines())


def wait_for(service: Running) -> None:
    until = time.monotonic() + STARTING_S
    while time.monotonic() < until:
        try:
            if requests.get(f"{service.url}/health", timeout=5).ok:
                return
        except requests.RequestException:
            if service.process.poll() is not None:
                break
            time.sleep(0.1)
    raise AssertionError(f"the service did not start: {service.log.read_text(encoding='utf-8')}")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
