"""How fast a collection is registered: one process, several, and Ray, against a plain loop over the library.

    python -m benchmarks.bulk

Pictures of 1600 x 1200 pixels (crops of sample pictures, JPEG quality 90). Every contestant is a process of its own
that registers the same collection into a new registry, start-up included, and they take turns, so that a busy machine
hits all alike. `cpu_ms` is the processor time of all its processes a picture, which other people's work disturbs
less than the clock. Written: results/bulk.json.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.record import ROOT, write
from PIL import Image
from skimage import data

LOOP = """
import sys
from pathlib import Path
from tiacam.app import Tiacam
with Tiacam.open(sys.argv[2], threads=1) as tiacam:
    for path in sorted(Path(sys.argv[1]).iterdir()):
        tiacam.register(path, "owner 4711")
"""
CONTESTANTS: dict[str, list[str]] = {
    "a loop over Tiacam.register, one thread": [],
    "register --engine inline --threads 1": ["--engine", "inline", "--threads", "1"],
    "register --engine processes --workers 1": ["--engine", "processes", "--workers", "1"],
    "register --engine processes --workers 2": ["--engine", "processes", "--workers", "2"],
    "register --engine ray --workers 2": ["--engine", "ray", "--workers", "2"],
}
BASE = "register --engine processes --workers 1"


@dataclass(frozen=True)
class Run:
    """Seconds on the clock and of all processors."""

    clock: float
    processors: float


def make_collection(folder: Path, count: int, seed: int) -> None:
    samples: Any = data
    sources = [samples.astronaut(), samples.coffee(), samples.chelsea(), samples.rocket()]
    rng = np.random.default_rng(seed)
    for number in range(count):
        source = sources[number % len(sources)]
        height, width = source.shape[:2]
        top, left = rng.integers(0, height // 3), rng.integers(0, width // 3)
        crop = Image.fromarray(source[top : top + height // 2, left : left + width // 2])
        crop.resize((1600, 1200), Image.Resampling.BICUBIC).save(folder / f"{number:05d}.jpg", quality=90)


def register(options: list[str], collection: Path, registry: Path) -> Run:
    if options:
        command = ["-m", "tiacam.cli", "register", str(collection), "--message", "owner 4711", *options]
        command += ["--registry", str(registry), "--again"]
    else:
        command = ["-c", LOOP, str(collection), str(registry)]
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run([sys.executable, *command], check=True, capture_output=True, cwd=ROOT)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Run(time.perf_counter() - start, spent)


def measure(pictures: int, rounds: int, seed: int) -> dict[str, list[Run]]:
    runs: dict[str, list[Run]] = {name: [] for name in CONTESTANTS}
    with tempfile.TemporaryDirectory() as name:
        collection = Path(name) / "collection"
        collection.mkdir()
        make_collection(collection, pictures, seed)
        for number in range(rounds):
            for contestant, options in CONTESTANTS.items():
                registry = Path(name) / f"{number}-{len(runs[contestant])}-{hash(contestant)}.tiacam"
                runs[contestant].append(register(options, collection, registry))
                print(contestant, runs[contestant][-1], file=sys.stderr, flush=True)
    return runs


def to_row(name: str, runs: list[Run], base: list[Run], pictures: int) -> dict[str, Any]:
    ratios = [other.clock / own.clock for own, other in zip(runs, base, strict=True)]
    return {
        "what": name,
        "pictures_a_second": round(pictures / float(np.median([run.clock for run in runs])), 2),
        "times_one_process": round(float(np.median(ratios)), 3),
        "times_one_process_least": round(min(ratios), 3),
        "times_one_process_most": round(max(ratios), 3),
        "cpu_ms": round(1e3 * float(np.median([run.processors for run in runs])) / pictures, 1),
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pictures", type=int, default=300)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=ROOT / "results" / "bulk.json")
    options = parser.parse_args()
    runs = measure(options.pictures, options.rounds, options.seed)
    write(
        options.out,
        command=f"python -m benchmarks.bulk --pictures {options.pictures} --rounds {options.rounds}",
        seed=options.seed,
        n=options.pictures,
        rounds=options.rounds,
        rows=[to_row(name, runs[name], runs[BASE], options.pictures) for name in CONTESTANTS],
        what=f"times_one_process: pictures a second against `{BASE}` in the same round; cpu_ms leaves out Ray's "
        "own processes, which are no children",
    )


if __name__ == "__main__":
    main()
