"""Two services on one PostgreSQL registry, and a server that is restarted under them."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from itertools import count
from pathlib import Path

import pytest
import requests
from service_process import COFFEE, HORSE, ROCKET, Running, running

from tiacam.registry import Registry

sys.path.insert(0, str(Path(__file__).parent.parent / "registry"))
from registry_server import running_server


def wait_until(done: Callable[[], bool], seconds: float = 120.0) -> None:
    until = time.monotonic() + seconds
    while not done() and time.monotonic() < until:
        time.sleep(0.05)


def register_on(
    service: Running, numbers: count[int], statuses: list[int], kept: list[str], end: threading.Event
) -> None:
    for number in numbers:
        if end.is_set():
            return
        try:
            answer = service.register((COFFEE, HORSE, ROCKET)[number % 3], f"number {number}")
        except requests.RequestException:
            statuses.append(0)
            continue
        statuses.append(answer.status_code)
        if answer.status_code == 201:
            kept.append(answer.json()["record"]["id"])


def test_two_services_share_a_registry_and_outlive_a_restart_of_its_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    statuses: list[int] = []
    kept: list[str] = []
    numbers, end = count(), threading.Event()
    with (
        running_server(durable=True) as server,
        server.database() as url,
        running(tmp_path, "--rate", 0, registry=url) as one,
        running(tmp_path, "--rate", 0, registry=url) as other,
    ):
        clients = [
            threading.Thread(target=register_on, args=(service, numbers, statuses, kept, end))
            for service in (one, other, one, other)
        ]
        for client in clients:
            client.start()
        wait_until(lambda: len(kept) >= 4)
        server.restart("immediate")
        before = len(kept)
        wait_until(lambda: len(kept) >= before + 4)
        end.set()
        for client in clients:
            client.join(60)
        again = [service.register(COFFEE, "afterwards").status_code for service in (one, other)]
        assert again == [201, 201]
        assert other.read(COFFEE).json()["registered"] is True
        with Registry.open(url) as registry:
            assert set(kept) <= {record.id for record in registry.records()}
            registry.verify_chain()
    assert kept
    assert set(statuses) <= {201, 503}
