"""Stopped, killed, full, and with its index gone: what was acknowledged stays, and what can be answered is."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path

import pytest
import requests
from service_process import COFFEE, HORSE, ROCKET, Running, running

from tiacam.cli import main
from tiacam.registry import Registry

LONG = os.environ.get("TIACAM_LONG") == "1"


def register_until_it_dies(service: Running, acknowledged: list[str], numbers: count[int]) -> None:
    for number in numbers:
        try:
            answer = service.register((COFFEE, HORSE, ROCKET)[number % 3], f"number {number}")
        except requests.RequestException:
            return
        if answer.status_code == 201:
            acknowledged.append(answer.json()["record"]["id"])


def wait_until(done: Callable[[], bool], seconds: float = 120.0) -> None:
    until = time.monotonic() + seconds
    while not done() and time.monotonic() < until:
        time.sleep(0.05)


@pytest.mark.parametrize("round_", range(20 if LONG else 2))
def test_a_service_killed_while_it_writes_loses_nothing_that_it_acknowledged(
    tmp_path: Path, round_: int
) -> None:
    acknowledged: list[str] = []
    numbers = count()
    with running(tmp_path, "--rate", 0) as service:
        clients = [
            threading.Thread(target=register_until_it_dies, args=(service, acknowledged, numbers))
            for _ in range(4)
        ]
        for client in clients:
            client.start()
        wait_until(lambda: len(acknowledged) >= 3)
        time.sleep(0.17 * round_)
        service.process.kill()
        for client in clients:
            client.join(30)
    with Registry.open(service.registry) as registry:
        kept = {record.id for record in registry.records()}
        assert registry.verify_chain().records == len(kept)
    assert acknowledged
    assert set(acknowledged) <= kept


def test_a_request_repeated_after_a_kill_is_not_done_twice(tmp_path: Path) -> None:
    key = {"Idempotency-Key": "crash-1"}
    with running(tmp_path, "--rate", 0) as service:
        first = service.register(HORSE, "a horse", headers=key).json()
        service.process.kill()
    # As if the service had stopped between the record and its note in the book of keys.
    for path in tmp_path.glob("r.tiacam.service*"):
        path.unlink()
    with running(tmp_path, "--rate", 0) as service:
        again = service.register(HORSE, "a horse", headers=key)
        assert (again.status_code, again.json()["repeated"]) == (200, True)
        assert again.json()["record"]["id"] == first["record"]["id"]
        assert service.send("GET", "/health").json()["records"] == 1


def test_a_service_that_is_asked_to_stop_finishes_what_it_has_begun(tmp_path: Path) -> None:
    with running(tmp_path, "--rate", 0) as service, ThreadPoolExecutor(6) as clients:
        answers = [clients.submit(service.register, COFFEE, f"number {number}") for number in range(6)]
        time.sleep(0.15)
        assert service.stop() == 0
        finished = [future.result().status_code for future in answers if future.exception() is None]
    assert set(finished) <= {201, 503}
    with Registry.open(service.registry) as registry:
        assert registry.verify_chain().records >= finished.count(201)
    assert '"event": "stopped"' in service.log.read_text(encoding="utf-8")


def test_the_service_answers_on_after_its_index_was_deleted(tmp_path: Path) -> None:
    with running(tmp_path, "--rate", 0) as service:
        name = service.register(COFFEE).json()["record"]["id"]
        assert service.read(COFFEE).json()["id"] == name
        delete_index(tmp_path)
        assert service.read(COFFEE).json()["id"] == name
        other = service.register(ROCKET, "a rocket").json()["record"]["id"]
        delete_index(tmp_path)
        assert service.read(ROCKET).json()["id"] == other
    with running(tmp_path, "--rate", 0) as service:
        delete_index(tmp_path)
        assert service.read(COFFEE).json()["id"] == name


def delete_index(folder: Path) -> None:
    """Everything that can be made again: what is neither the ledger nor a key, a token or the service's own."""
    kept = ("r.tiacam", "r.tiacam-wal", "r.tiacam-shm", "r.tiacam.key", "r.tiacam.tokens", "r.tiacam.plain")
    for path in sorted(folder.rglob("*"), reverse=True):
        mine = path.name.startswith(("log-", "r.tiacam.service", *kept[3:])) or path.name in kept
        if not mine and path.is_file():
            path.unlink()


def test_a_full_service_says_when_to_come_back_and_recovers(tmp_path: Path) -> None:
    with running(tmp_path, "--rate", 0, "--workers", 1, "--waiting", 0) as service:
        with ThreadPoolExecutor(12) as clients:
            answers = [
                future.result() for future in [clients.submit(service.read, COFFEE) for _ in range(24)]
            ]
        statuses = {answer.status_code for answer in answers}
        assert statuses <= {200, 503}
        assert 200 in statuses
        for answer in answers:
            if answer.status_code == 503:
                assert int(answer.headers["Retry-After"]) >= 1
        assert service.read(COFFEE).status_code == 200


@pytest.mark.skipif(not LONG, reason="waits half a minute for a lock; runs with TIACAM_LONG=1")
def test_a_registry_that_cannot_be_written_is_a_503_and_tells_no_path(tmp_path: Path) -> None:
    with running(tmp_path, "--rate", 0, "--timeout", 60) as service:
        service.register(COFFEE)
        with Registry.open(service.registry) as registry, registry._database.transaction():
            answer = service.register(ROCKET, "x")  # waits for the lock as long as the registry is patient
        assert answer.status_code == 503
        assert str(tmp_path) not in answer.text
        assert service.register(ROCKET, "x").status_code == 201


def test_a_service_whose_key_was_replaced_says_so_and_reads_on(tmp_path: Path) -> None:
    with running(tmp_path, "--rate", 0) as service:
        assert service.register(COFFEE).status_code == 201
        assert main(["keys", "--rotate", "--registry", str(service.registry)]) == 0
        refused = service.register(ROCKET, "x")
        assert (refused.status_code, refused.json()["error"]) == (409, "key_ended")
        assert str(tmp_path) not in refused.text
        assert service.read(COFFEE).json()["text"] == "owner 4711"
    with running(
        tmp_path, "--rate", 0
    ) as service:  # started again, it finds the new key, and the old one for reading
        assert service.register(ROCKET, "x").status_code == 201
        assert service.read(COFFEE).json()["text"] == "owner 4711"
        assert service.read(ROCKET).json()["text"] == "x"


def test_what_was_revoked_is_not_read_out(tmp_path: Path) -> None:
    with running(tmp_path, "--rate", 0) as service:
        name = service.register(COFFEE).json()["record"]["id"]
        key = f"{service.registry}.key"
        assert main(["keys", "--revoke", key, "--since", name, "--registry", str(service.registry)]) == 0
        for path in ("/v1/read", f"/v1/records/{name}/verify", "/v1/provenance"):
            answer = service.read(COFFEE, path)
            assert (answer.status_code, answer.json()["error"]) == (403, "revoked_key")
            assert "4711" not in answer.text
