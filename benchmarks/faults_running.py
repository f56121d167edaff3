"""Faults of what is running: the service is killed while it writes, the index is deleted while it is searched."""

from __future__ import annotations

import os
import random
import shutil
import signal
import sys
import tempfile
import threading
import time
from itertools import count
from pathlib import Path
from typing import Any

import requests
from benchmarks.record import ROOT
from benchmarks.service_load import photos, serving

sys.path.insert(0, str(ROOT / "tests" / "registry"))
from registry_samples import KEY, MODEL, make_draft

from tiacam.registry import Record, Registry
from tiacam.service.tokens import Scope, add_token

PORT = 8795
CLIENTS = 4
PATIENCE_S = 120.0
INDEXED = 5000  # records from which on an index file is made by itself
Row = dict[str, Any]


class Registrars:
    """Clients that register under idempotency keys and, whatever happens, send a request until it is acknowledged."""

    def __init__(self, token: str) -> None:
        self.acknowledged: dict[str, str] = {}  # key → record
        self._headers = {"Authorization": f"Bearer {token}"}
        self._numbers = count()
        self._ended = threading.Event()
        files = photos()
        self._threads = [threading.Thread(target=self._work, args=(files,)) for _ in range(CLIENTS)]
        for thread in self._threads:
            thread.start()

    def wait_for_more(self, records: int = 1) -> None:
        wanted = len(self.acknowledged) + records
        while len(self.acknowledged) < wanted:
            time.sleep(0.01)

    def end(self) -> None:
        self._ended.set()
        for thread in self._threads:
            thread.join()

    def _work(self, files: list[bytes]) -> None:
        while not self._ended.is_set():
            number = next(self._numbers)
            key = f"fault-{number}"
            while (record := self._send(files[number % len(files)], key)) is None:
                time.sleep(0.05)
            self.acknowledged[key] = record

    def _send(self, picture: bytes, key: str) -> str | None:
        try:
            answer = requests.post(
                f"http://127.0.0.1:{PORT}/v1/records",
                data={"message": key},
                files={"picture": ("p", picture)},
                headers=self._headers | {"Idempotency-Key": key},
                timeout=60,
            )
        except requests.RequestException:
            return None
        return str(answer.json()["record"]["id"]) if answer.status_code in (200, 201) else None


def kill_service(kills: int, rng: random.Random) -> Row:
    """SIGKILL the service between two acknowledgements, start it again over the same registry, and so on."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        token = add_token(folder / "r.tiacam.tokens", "faults", [Scope.REGISTER]).text
        registrars = Registrars(token)
        for _ in range(kills):
            with serving(folder, PORT) as (process, _):
                registrars.wait_for_more()
                time.sleep(rng.uniform(0, 0.5))
                os.kill(process, signal.SIGKILL)
        with serving(folder, PORT):
            registrars.wait_for_more(CLIENTS)
            registrars.end()
        return {"clients": CLIENTS, "faults": kills} | count_service(folder, registrars.acknowledged)


def count_service(folder: Path, acknowledged: dict[str, str]) -> Row:
    with Registry.open(folder / "r.tiacam") as registry:
        stored = [record.id for record in registry.records()]
        registry.verify_chain()
    return {
        "acknowledged": len(acknowledged),
        "lost": len(set(acknowledged.values()) - set(stored)),
        "twice": len(stored) - len(acknowledged),  # every request was sent until it was acknowledged
        "chain": "verifies",
    }


def delete_index(kind: str, deletions: int, records: int = INDEXED) -> Row:
    """Delete the index files of an open registry, search it and add to it; the next opening makes them again."""
    wrong = searches = 0
    with tempfile.TemporaryDirectory() as name:
        place = Path(name) / "r.tiacam"
        with Registry.open(place, index=kind) as registry:
            known = registry.add_many([make_draft() for _ in range(records)], KEY)
        for _ in range(deletions):
            with Registry.open(place, index=kind) as registry:
                wait_for_index(registry, place)
                shutil.rmtree(index_folder(place))
                known.append(registry.add(make_draft(), KEY))
                asked = [*known[::100], known[-1]]
                wrong += missed(registry, asked)
                searches += len(asked)
        with Registry.open(place, index=kind) as registry:
            stored = [record.id for record in registry.records()]
            registry.verify_chain()
    return {
        "faults": deletions,
        "acknowledged": len(known),
        "lost": len({record.id for record in known} - set(stored)),
        "twice": len(stored) - len(set(stored)),
        "chain": "verifies",
        "searches": searches,
        "wrong": wrong,
    }


def wait_for_index(registry: Registry, place: Path) -> None:
    """Until there is a file to delete: it is made beside the first search."""
    until = time.monotonic() + PATIENCE_S
    while not list(index_folder(place).glob("*.json")):
        if time.monotonic() > until:
            raise SystemExit(f"no index was made in {PATIENCE_S:.0f} seconds")
        registry.find(make_draft().feature, 1, MODEL)
        time.sleep(0.05)


def index_folder(place: Path) -> Path:
    return place.with_name(f"{place.name}.index")


def missed(registry: Registry, records: list[Record]) -> int:
    """How many records are not found by their own features."""
    return sum(registry.find(record.feature, 1, MODEL)[0].record_id != record.id for record in records)
