"""One registry, one kind of index, one fresh process: what opening and searching it cost.

    python -m benchmarks.scale_child REGISTRY KIND QUERIES.npz MODEL ROUNDS

QUERIES.npz holds `features` (Q, D) and `numbers` (Q,), the records that they should find. One JSON object on stdout.
No rounds: the index is opened, or made, and that is all.
Seconds by the clock and of the processor: on a busy machine only the latter can be compared.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tiacam.registry import Registry

VIEWS = 20  # looked up together: those of one photo
COUNT = 50  # neighbours asked for, as reading does


class Clock:
    """Seconds since it was made, by the clock and of the processor."""

    def __init__(self) -> None:
        self._wall, self._cpu = time.perf_counter(), time.process_time()

    def read(self) -> tuple[float, float]:
        return time.perf_counter() - self._wall, time.process_time() - self._cpu


def resident_mb() -> float:
    """Memory of this process: its own and, apart, the pages of mapped files."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("RssAnon"):
            return int(line.split()[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def spread(seconds: list[float]) -> dict[str, float]:
    p50, p99 = np.percentile(seconds, [50, 99])
    return {"p50_ms": round(1e3 * p50, 2), "p99_ms": round(1e3 * p99, 2)}


def first_look(registry: Registry, feature: NDArray[np.float32], model: str) -> dict[str, float]:
    """The first look-up of a process opens the index, and makes it where there is none."""
    clock = Clock()
    registry.find(feature, COUNT, model)
    wall, cpu = clock.read()
    return {"wall_s": round(wall, 3), "cpu_s": round(cpu, 3)}


def search_all(registry: Registry, features: NDArray[np.float32], model: str, rounds: int) -> dict[str, Any]:
    walls, cpus, found = [], [], []
    for turn in range(rounds):
        for start in range(0, len(features), VIEWS):
            clock = Clock()
            near = registry.find_many(features[start : start + VIEWS], COUNT, model)
            wall, cpu = clock.read()
            walls.append(wall)
            cpus.append(cpu)
            if turn == 0:
                found += [neighbours[0] for neighbours in near]
    return {"wall": spread(walls), "cpu": spread(cpus), "batches": len(walls), "found": found}


def main() -> None:
    path, kind, queries, model, rounds = sys.argv[1:6]
    with np.load(queries) as saved:
        features, numbers = saved["features"].astype(np.float32), saved["numbers"]
    before = resident_mb()
    with Registry.open(path, index=kind) as registry:
        start = first_look(registry, features[0], model)
        if rounds == "0":
            print(json.dumps({"start": start}))
            return
        result = search_all(registry, features, model, int(rounds))
        found = result.pop("found")
        wanted = [
            registry._database.rows("SELECT id FROM record WHERE seq = ?", int(n))[0][0] for n in numbers
        ]
        right = [near.record_id == record_id for near, record_id in zip(found, wanted, strict=True)]
        memory = resident_mb() - before
    print(json.dumps({"start": start, **result, "memory_mb": round(memory, 1), "right": right}))


if __name__ == "__main__":
    main()
