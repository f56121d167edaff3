"""Simulated captures of many pictures: made by two processes, and kept in a folder if one is named.

A kept capture is found again by what it was made of: the picture's bytes, kind, strength, seed, and the
simulator's code.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

import tiacam.capture
from tiacam.capture import Kind, Strength, simulate
from tiacam.evaluate.shelf import Source
from tiacam.progress import progress_bar
from tiacam.workers import Tether, end_with, interrupts_held

ALONE = 12  # fewer captures are made sooner than a second process starts
CORNER_BYTES = 64  # eight doubles

Kept = tuple[bytes, bytes]  # corners, encoded photo


@dataclass(frozen=True)
class Order:
    """One capture to be made."""

    source: Source
    kind: Kind
    strength: Strength
    seed: int

    @property
    def key(self) -> str:
        parts = (self.source.sha256, self.kind, self.strength, self.seed, simulator_digest())
        return hashlib.sha256("/".join(map(str, parts)).encode()).hexdigest()[:32]


@dataclass(frozen=True)
class Darkroom:
    """Makes captures, and remembers them in `folder` where there is one."""

    folder: Path | None = None

    def develop(self, orders: Sequence[Order]) -> list[Kept]:
        """The captures in the order asked for."""
        found = [self._find(order) for order in orders]
        missing = [order for order, kept in zip(orders, found, strict=True) if kept is None]
        fresh = iter(make_all(missing))
        made = []
        for order, kept in zip(orders, found, strict=True):
            made.append(self._keep(order, next(fresh)) if kept is None else kept)
        return made

    def _find(self, order: Order) -> Kept | None:
        if self.folder is None or not (path := self.folder / order.key).is_file():
            return None
        content = path.read_bytes()
        return content[:CORNER_BYTES], content[CORNER_BYTES:]

    def _keep(self, order: Order, kept: Kept) -> Kept:
        if self.folder is not None:
            self.folder.mkdir(parents=True, exist_ok=True)
            beside = self.folder / f".{order.key}.{os.getpid()}"
            beside.write_bytes(b"".join(kept))
            beside.replace(self.folder / order.key)
        return kept


def make_all(orders: Sequence[Order]) -> Iterator[Kept]:
    """In this process, or in one for every core where there is enough to do."""
    shown: dict[str, Any] = {"total": len(orders), "desc": "captures", "unit": "photo", "leave": False}
    if len(orders) < ALONE:
        yield from progress_bar(map(make, orders), **shown)
        return
    tether = Tether.make()
    with ProcessPoolExecutor(
        os.cpu_count(), mp_context=get_context("spawn"), initializer=end_with, initargs=(tether.worker_end,)
    ) as pool:
        try:
            with interrupts_held():
                made = [pool.submit(make, order) for order in orders]
            yield from progress_bar((one.result() for one in made), **shown)
        except BaseException:  # whoever stops would wait for all that was ordered
            tether.cut()
            raise


def make(order: Order) -> Kept:
    capture = simulate(order.source.open().pixels, order.kind, order.strength, seed=order.seed)
    return capture.corners.astype("<f8").tobytes(), capture.encoded


def read_corners(content: bytes) -> np.ndarray:
    return np.frombuffer(content, "<f8").reshape(4, 2)


@cache
def simulator_digest() -> str:
    """Of the simulator's own code: another simulator makes other captures."""
    folder = Path(tiacam.capture.__file__).parent
    content = b"".join(path.read_bytes() for path in sorted(folder.rglob("*.py")))
    return hashlib.sha256(content).hexdigest()
