"""Processes that open together, and processes that are killed: nothing that was acknowledged is ever lost."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from registry_samples import Place

from tiacam.registry import Registry

CHILD = Path(__file__).parent / "registry_child.py"
LONG = os.environ.get("TIACAM_LONG") == "1"
PROCESSES = 8


@dataclass
class Registrar:
    """A process that registers as fast as it can, and the file of the ids that were acknowledged to it."""

    registry: Place
    acknowledged: Path
    process: subprocess.Popen[bytes] = field(init=False)
    acknowledged_before: int = 0

    def __post_init__(self) -> None:
        self.acknowledged.touch()
        self.start()

    def start(self) -> None:
        self.acknowledged_before = len(self.ids())
        command = [sys.executable, str(CHILD), "register-forever", str(self.registry), str(self.acknowledged)]
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE)

    def wait_until_at_work(self) -> None:
        deadline = time.monotonic() + 60
        while len(self.ids()) == self.acknowledged_before:
            assert self.process.poll() is None, "a registrar ended by itself"
            assert time.monotonic() < deadline, "a registrar never got to register"
            time.sleep(0.005)

    def kill(self) -> None:
        """SIGKILL; whoever had ended by then had failed."""
        self.process.kill()
        complaint = self.process.communicate()[1]
        assert self.process.returncode == -signal.SIGKILL, complaint.decode()

    def ids(self) -> list[str]:
        return self.acknowledged.read_text().split()


def kill_and_restart(registrars: list[Registrar], kills: int, rng: random.Random) -> None:
    for number in range(kills):
        victim = rng.choice(registrars)
        # Every fourth dies while it starts and opens the registry, the others in the midst of adding.
        if number % 4:
            victim.wait_until_at_work()
        time.sleep(rng.uniform(0, 0.2))
        victim.kill()
        victim.start()


def check_nothing_lost(registry: Place, acknowledged: set[str]) -> None:
    if isinstance(registry, Path):
        with closing(sqlite3.connect(registry)) as connection:
            assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    with Registry.open(registry, create=False) as opened:
        stored = {record.id for record in opened.records()}
        assert acknowledged <= stored
        assert opened.verify_chain().records == len(stored)


@pytest.mark.parametrize("kills", [10, pytest.param(200, marks=pytest.mark.long)])
def test_killing_processes_that_register_loses_no_acknowledged_record(
    place: Place, tmp_path: Path, kills: int
) -> None:
    if kills > 10 and not LONG:
        pytest.skip("the long form runs with TIACAM_LONG=1")
    registrars = [Registrar(place, tmp_path / f"acknowledged-{number}") for number in range(PROCESSES)]
    try:
        kill_and_restart(registrars, kills, random.Random(kills))
        for registrar in registrars:
            registrar.wait_until_at_work()
    finally:
        for registrar in registrars:
            registrar.process.kill()
            registrar.process.communicate()
    acknowledged = [record_id for registrar in registrars for record_id in registrar.ids()]
    assert len(acknowledged) == len(set(acknowledged)) >= PROCESSES
    check_nothing_lost(place, set(acknowledged))


def test_processes_that_open_a_new_registry_at_once_all_get_the_same_one(
    place: Place, tmp_path: Path
) -> None:
    gate = tmp_path / "gate"
    command = [sys.executable, str(CHILD), "open-together", str(place), str(gate)]
    processes = [
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(PROCESSES)
    ]
    while len(list(tmp_path.glob("gate-*"))) < PROCESSES and all(p.poll() is None for p in processes):
        time.sleep(0.005)
    gate.touch()
    outcomes = [process.communicate(timeout=120) for process in processes]
    assert [error.decode() for _, error in outcomes] == [""] * PROCESSES
    with Registry.open(place, create=False) as registry:
        assert registry.verify_chain().records == PROCESSES
