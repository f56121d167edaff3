"""The table `peers`: every system under the same conditions, on the same pictures, in one run with TIACam.

    tiacam evaluate peers --data pictures.tar photos/ --captures build/captures

A system whose package is not installed is left out and named. All pictures are remembered; the photos are those of the
first QUERIES pictures and the real ones.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from importlib.util import find_spec

import numpy as np
from benchmarks.peers.conditions import Shown, conditions, show, unreadable_rows
from benchmarks.peers.hashes import HASHES
from benchmarks.peers.identifier import Identifier
from benchmarks.peers.marking import mark_rows
from benchmarks.peers.ours import Ours
from benchmarks.peers.rootsift import RootSift
from benchmarks.peers.watermarks import WATERMARKS
from numpy.typing import NDArray

from tiacam.evaluate.bench import Bench
from tiacam.evaluate.metrics import Estimate, accepted_at, by_picture, estimate_rate, split_cosines
from tiacam.evaluate.record import Row
from tiacam.evaluate.table import Table

QUERIES = 40  # pictures that are photographed
MARKED = 12  # pictures that messages are put into; rivaGan takes seconds for each reading
LOOKUP_RATE = 0.01
IDENTIFIERS: dict[str, tuple[str, Callable[[Bench], Identifier]]] = {
    "TIACam": ("tiacam", Ours),
    "RootSIFT + RANSAC": ("cv2", lambda _bench: RootSift()),
    **{name: (package, lambda _bench, make=make: make()) for name, (package, make) in HASHES.items()},
}
MARKERS = ("TIACam, 32 bits", *WATERMARKS)

Floats = NDArray[np.floating]


def measure(bench: Bench, part: str) -> Iterator[Row]:
    if part in MARKERS:
        yield from mark_rows(bench, part, bench.shelf.sources[:MARKED])
        return
    system = IDENTIFIERS[part][1](bench)
    system.remember([source.open().pixels for source in bench.registered])
    spent: list[float] = []
    for condition in conditions(bench, real=True):
        shown = show(bench, condition, bench.shelf.sources[:QUERIES])
        yield from unreadable_rows(bench, part, condition, shown)
        if not shown:
            continue
        start = time.perf_counter()
        scores = np.stack([system.score(item.pixels) for item in shown])  # (Q, R)
        spent.append((time.perf_counter() - start) / len(shown))
        yield from identification_rows(f"{part}, {condition}", system, scores, shown)
    yield Row.of(part, "milliseconds a look-up", Estimate(1e3 * float(np.mean(spent)), None, None))
    yield Row.of(part, "bytes a record", Estimate(system.bytes_a_record, None, None))


def identification_rows(
    name: str, system: Identifier, scores: Floats, shown: Sequence[Shown]
) -> Iterator[Row]:
    numbers = np.array([item.picture for item in shown])
    genuine, impostor = split_cosines(scores, numbers)
    best = impostor.max(axis=1)
    yield Row.of(name, "top-1", estimate_rate(by_picture(first_place(genuine, impostor), numbers)))
    accepted = accepted_at(genuine, best, LOOKUP_RATE)
    yield Row.of(name, "accepted at 1% false a look-up", estimate_rate(by_picture(accepted, numbers)))
    if system.usual is not None:
        for metric, values in (
            ("accepted at the usual threshold", genuine),
            ("false at the usual threshold", best),
        ):
            passed = np.asarray(values >= system.usual, np.float64)
            yield Row.of(name, metric, estimate_rate(by_picture(passed, numbers)))


def first_place(genuine: Floats, impostor: Floats) -> Floats:
    """1 where the own record scores best; where others score the same, the chance of picking it."""
    ahead = (impostor > genuine[:, None]).any(axis=1)
    equal = (impostor == genuine[:, None]).sum(axis=1)
    return np.asarray(np.where(ahead, 0.0, 1 / (1 + equal)), np.float64)


def obstacle(_bench: Bench, part: str) -> str | None:
    package = {**{name: module for name, (module, _) in (IDENTIFIERS | WATERMARKS).items()}}.get(
        part, "tiacam"
    )
    return None if find_spec(package) else f"{package} is not installed: make peers"


TABLE = Table(
    "peers",
    "fingerprints, local features and pixel watermarks that users would pick instead, in one run with ours",
    (*IDENTIFIERS, *MARKERS),
    measure,
    n=100,
    obstacle=obstacle,
)
