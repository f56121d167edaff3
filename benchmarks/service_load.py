"""The service under load: 32 clients at once for a minute, against a plain loop over the library.

    python -m benchmarks.service_load

Written: results/service-load.json, unless --out says otherwise.
Service, clients and library share this machine's cores, as they would on a small server with a test beside it. Clients
send photos to read and, one time in twenty, a picture to register; told 503, they wait as long as `Retry-After` says.
The plain loop reads the same photos through `Tiacam.read` in one thread, and in as many as the service has workers,
before and after.
"""

from __future__ import annotations

import argparse
import http.client
import io
import json
import os
import random
import re
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.record import ROOT, write
from PIL import Image

from tiacam.app import Tiacam
from tiacam.registry import Registry

PICTURES = sorted(Path("src/tiacam/cli/pictures").glob("*.jpg"))
REGISTER_SHARE = 0.05
BOUNDARY = "tiacam-load"
EXPECTED = {"200", "201", "503"}
SETTLING_S = (
    10.0  # caches fill and threads start: memory is compared from here on, in a run that is long enough
)


@dataclass
class Tally:
    """What one client saw."""

    statuses: Counter[str] = field(default_factory=Counter)
    reads: list[float] = field(default_factory=list)  # seconds of answered reads
    writes: list[float] = field(default_factory=list)
    acknowledged: list[str] = field(default_factory=list)


def photos() -> list[bytes]:
    """What phones and screenshots send: 800 pixels, JPEG."""
    found = []
    for path in PICTURES:
        image = Image.open(path).convert("RGB")
        image.thumbnail((800, 800))
        stream = io.BytesIO()
        image.save(stream, "JPEG", quality=80)
        found.append(stream.getvalue())
    return found


@contextmanager
def serving(folder: Path, port: int) -> Iterator[tuple[int, str]]:
    """A service process over the registry in `folder`: its id and a token."""
    log = folder / "log"
    command = [
        sys.executable,
        "-m",
        "tiacam.cli",
        "serve",
        "--registry",
        str(folder / "r.tiacam"),
        "--port",
        str(port),
    ]
    with log.open("w") as stream:
        process = subprocess.Popen([*command, "--rate", "0"], stderr=stream)
    try:
        while "started" not in log.read_text():
            if process.poll() is not None:
                raise SystemExit(log.read_text())
            time.sleep(0.1)
        yield process.pid, re.findall(r"#token=(\S+)", log.read_text())[0]
    finally:
        process.terminate()
        process.wait(60)


class Client:
    """One caller with one connection, again and again until the time is up."""

    def __init__(self, port: int, token: str, seed: int, files: list[bytes]) -> None:
        self._port, self._files = port, files
        self._draw = random.Random(seed)
        self._headers = {"Authorization": f"Bearer {token}"}
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        self.tally = Tally()

    def run(self, until: float) -> None:
        while time.monotonic() < until:
            began = time.perf_counter()
            writing = self._draw.random() < REGISTER_SHARE
            try:
                status, after, body = self._send(*(self._order() if writing else self._photo()))
            except (OSError, http.client.HTTPException) as error:
                self.tally.statuses[type(error).__name__] += 1
                self._connection.close()
                continue
            self.tally.statuses[str(status)] += 1
            if status == 503:
                time.sleep(float(after or 1))
            elif status == 201:
                self.tally.writes.append(time.perf_counter() - began)
                self.tally.acknowledged.append(json.loads(body)["record"]["id"])
            elif status == 200:
                self.tally.reads.append(time.perf_counter() - began)

    def _photo(self) -> tuple[str, bytes, str]:
        return "/v1/read", self._draw.choice(self._files), "image/jpeg"

    def _order(self) -> tuple[str, bytes, str]:
        picture = self._draw.choice(self._files)
        part = f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="%s"%s\r\n\r\n'
        body = (
            (part % ("message", "")).encode() + b"load\r\n" + (part % ("picture", '; filename="p"')).encode()
        )
        return (
            "/v1/records",
            body + picture + f"\r\n--{BOUNDARY}--\r\n".encode(),
            f"multipart/form-data; boundary={BOUNDARY}",
        )

    def _send(self, path: str, body: bytes, kind: str) -> tuple[int, str | None, bytes]:
        self._connection.request("POST", path, body, {**self._headers, "Content-Type": kind})
        answer = self._connection.getresponse()
        return answer.status, answer.getheader("Retry-After"), answer.read()


def load(port: int, token: str, clients: int, seconds: float, files: list[bytes]) -> list[Tally]:
    until = time.monotonic() + seconds
    crowd = [Client(port, token, number, files) for number in range(clients)]
    threads = [threading.Thread(target=client.run, args=(until,)) for client in crowd]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return [client.tally for client in crowd]


class MemoryWatch(threading.Thread):
    """The service's resident memory, twice a second, in MiB."""

    def __init__(self, process: int) -> None:
        super().__init__(daemon=True)
        self._process = process
        self._ended = threading.Event()
        self.samples: list[tuple[float, float]] = []

    def run(self) -> None:
        began = time.monotonic()
        while not self._ended.wait(0.5):
            status = Path(f"/proc/{self._process}/status").read_text()
            kib = next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS"))
            self.samples.append((time.monotonic() - began, kib / 1024))

    def stop(self) -> dict[str, float]:
        """Memory after settling and at the end, and the least-squares slope between."""
        self._ended.set()
        self.join()
        settled = [(moment, size) for moment, size in self.samples if moment > SETTLING_S]
        kept = settled if len(settled) >= 4 else self.samples
        half = len(kept) // 2
        early, late = (statistics.mean(size for _, size in part) for part in (kept[:half], kept[half:]))
        slope = statistics.linear_regression(*zip(*kept, strict=True)).slope
        names = (
            "memory first half MiB",
            "memory second half MiB",
            "memory slope MiB a minute",
            "memory peak MiB",
        )
        values = (early, late, 60 * slope, max(size for _, size in self.samples))
        return {name: round(value, 1) for name, value in zip(names, values, strict=True)}


def loop_rate(tiacam: Tiacam, files: list[bytes], threads: int, seconds: float) -> float:
    """Photos a second through the library alone."""
    until = time.monotonic() + seconds

    def read_on(seed: int) -> int:
        draw, count = random.Random(seed), 0
        while time.monotonic() < until:
            tiacam.read(draw.choice(files))
            count += 1
        return count

    with ThreadPoolExecutor(threads) as pool:
        began = time.monotonic()
        total = sum(pool.map(read_on, range(threads)))
    return total / (time.monotonic() - began)


def quantiles(seconds: list[float]) -> dict[str, float]:
    ranked = sorted(seconds)
    if not ranked:
        return {}
    return {
        f"p{share:g} ms": round(1e3 * ranked[min(len(ranked) - 1, int(share / 100 * len(ranked)))], 1)
        for share in (50, 95, 99)
    }


def measure(chosen: argparse.Namespace, folder: Path) -> list[dict[str, Any]]:
    files, workers = photos(), os.cpu_count() or 1
    with Tiacam.open(folder / "r.tiacam", threads=1) as tiacam:
        for data in files[::2]:
            tiacam.register(data, "registered before")
        before = {threads: loop_rate(tiacam, files, threads, chosen.loop) for threads in (1, workers)}
    with serving(folder, chosen.port) as (process, token):
        watch = MemoryWatch(process)
        watch.start()
        tallies = load(chosen.port, token, chosen.clients, chosen.seconds, files)
        memory = watch.stop()
        alone = load(chosen.port, token, 1, chosen.loop, files)
    with Tiacam.open(folder / "r.tiacam", threads=1) as tiacam:
        after = {threads: loop_rate(tiacam, files, threads, chosen.loop) for threads in (1, workers)}
    return rows(chosen, folder, tallies, alone, memory, {n: (before[n] + after[n]) / 2 for n in before})


def rows(
    chosen: argparse.Namespace,
    folder: Path,
    tallies: list[Tally],
    alone: list[Tally],
    memory: dict[str, float],
    loops: dict[int, float],
) -> list[dict[str, Any]]:
    statuses = sum((tally.statuses for tally in tallies), Counter[str]())
    reads = [second for tally in tallies for second in tally.reads]
    writes = [second for tally in tallies for second in tally.writes]
    rate = (len(reads) + len(writes)) / chosen.seconds
    crowd = {
        "what": f"{chosen.clients} clients",
        "answers a second": round(rate, 1),
        **dict(sorted(statuses.items())),
    }
    lost = lost_records(folder, [name for tally in tallies for name in tally.acknowledged])
    single = sum(len(tally.reads) + len(tally.writes) for tally in alone) / chosen.loop
    best = max(loops.values())
    loop_rows = [{"what": f"library, {n} threads", "answers a second": round(r, 1)} for n, r in loops.items()]
    return [
        {
            **crowd,
            **memory,
            "errors other than 503": sum(n for status, n in statuses.items() if status not in EXPECTED),
            "acknowledged": sum(len(t.acknowledged) for t in tallies),
            "acknowledged and lost": lost,
        },
        {"what": "reads of the crowd", "n": len(reads), **quantiles(reads)},
        {"what": "registrations of the crowd", "n": len(writes), **quantiles(writes)},
        {"what": "1 client", "answers a second": round(single, 1), **quantiles(alone[0].reads)},
        *loop_rows,
        {
            "what": "service over library",
            "ratio": round(rate / best, 3),
            "one client over one thread": round(single / loops[1], 3),
        },
    ]


def lost_records(folder: Path, acknowledged: list[str]) -> int:
    with Registry.open(folder / "r.tiacam") as registry:
        registry.verify_chain()
        kept = {record.id for record in registry.records()}
    return len(set(acknowledged) - kept)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--clients", type=int, default=32)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument(
        "--loop", type=float, default=15.0, help="seconds of each plain loop, and of one client alone"
    )
    parser.add_argument("--port", type=int, default=8799)
    parser.add_argument("--out", type=Path, default=ROOT / "results" / "service-load.json")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = measure(chosen, Path(folder))
    command = f"python -m benchmarks.service_load --clients {chosen.clients} --seconds {chosen.seconds:g}"
    write(chosen.out, command=command, seed=0, n=chosen.clients, rows=found)
    print(json.dumps(found, indent=1))
    return 1 if found[0]["errors other than 503"] or found[0]["acknowledged and lost"] else 0


if __name__ == "__main__":
    sys.exit(main())
