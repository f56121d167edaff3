"""Finding the nearest features: one small interface, and the exact search that needs nothing but numpy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tiacam.errors import RegistryError
from tiacam.products import product

BLOCK = 4096  # rows taken in one product: 12 MB at width 768, which memory is asked for as it is needed
SAMPLED = 16  # every so many-th score is looked at to know below which the nearest cannot lie

Numbers = NDArray[np.int64]


@dataclass(frozen=True)
class Neighbour:
    """A record whose feature is near the one that was looked for."""

    record_id: str
    cosine: float


@dataclass(frozen=True)
class Hits:
    """For one query, the numbers in the ledger of the nearest records and their cosines, nearest first."""

    numbers: Numbers  # (K,)
    cosines: NDArray[np.float32]  # (K,)

    def first(self, count: int) -> Hits:
        """The nearest `count` of these; of equally near ones the older record comes first."""
        order = np.lexsort((self.numbers, -self.cosines))[:count]
        return Hits(self.numbers[order], self.cosines[order])

    def merged(self, other: Hits, count: int) -> Hits:
        """The nearest `count` of both."""
        numbers = np.concatenate([self.numbers, other.numbers])
        return Hits(numbers, np.concatenate([self.cosines, other.cosines])).first(count)


class Index(Protocol):
    """Unit vectors of one width under their records' numbers; it can always be rebuilt from the ledger."""

    def __len__(self) -> int: ...

    def add(self, numbers: Numbers, features: NDArray[np.generic]) -> None:
        """Take in `features` (N, D), one row for each number."""

    def search(self, queries: NDArray[np.float32], count: int) -> list[Hits]:
        """For each unit row of `queries` (Q, D) the `count` nearest; an approximate index may miss some."""


class ExactIndex:
    """All features in fp32 blocks: a search is one matrix product and always right."""

    def __init__(self, width: int) -> None:
        self._width = width
        self._blocks: list[NDArray[np.float32]] = []  # all full but the last
        self._numbers = np.empty(BLOCK, np.int64)
        self._used = 0

    def __len__(self) -> int:
        return self._used

    def add(self, numbers: Numbers, features: NDArray[np.generic]) -> None:
        unit = to_unit_rows(features, self._width)  # (N, D)
        for start in range(0, len(unit), BLOCK):
            self._append(numbers[start : start + BLOCK], unit[start : start + BLOCK])

    def search(self, queries: NDArray[np.float32], count: int) -> list[Hits]:
        used = self._used  # another thread may be adding
        cosines = np.empty((len(queries), used), np.float32)
        for start, block in zip(range(0, used, BLOCK), self._blocks, strict=False):
            rows = block[: used - start]
            cosines[:, start : start + BLOCK] = product(rows, queries).T  # (Q, B)
        return [self._nearest(row, count) for row in cosines]

    def _append(self, numbers: Numbers, unit: NDArray[np.float32]) -> None:
        """Fill the last block and, where it is full, begin another; at most BLOCK rows."""
        used, needed = self._used, self._used + len(unit)
        while len(self._blocks) * BLOCK < needed:
            self._blocks.append(np.empty((BLOCK, self._width), np.float32))
        if needed > len(self._numbers):
            self._numbers = np.concatenate([self._numbers, np.empty_like(self._numbers)])
        self._numbers[used:needed] = numbers
        place = used % BLOCK
        here = min(BLOCK - place, len(unit))
        self._blocks[used // BLOCK][place : place + here] = unit[:here]
        if here < len(unit):
            self._blocks[-1][: len(unit) - here] = unit[here:]
        self._used = needed

    def _nearest(self, cosines: NDArray[np.float32], count: int) -> Hits:
        rows = likely_rows(cosines, count)
        return Hits(self._numbers[rows], cosines[rows]).first(count)


def likely_rows(scores: NDArray[Any], count: int) -> NDArray[np.intp]:
    """Some rows (N,) that the `count` highest scores are among, and not many more where there are many."""
    sample = scores[::SAMPLED]
    if count >= len(sample):
        return np.arange(len(scores))
    # The count-th best of some is a bound below that of all, and far cheaper to find.
    return np.flatnonzero(scores >= np.partition(sample, -count)[-count])


def to_unit_rows(features: ArrayLike, width: int) -> NDArray[np.float32]:
    rows = np.asarray(features, dtype=np.float32)
    if rows.ndim != 2 or rows.shape[1] != width:
        raise RegistryError(f"features have shape {rows.shape}, this model's have width {width}")
    lengths: NDArray[np.float32] = np.linalg.norm(rows, axis=1, keepdims=True)  # (N, 1)
    if not ((lengths > 0) & np.isfinite(lengths)).all():
        raise RegistryError("a feature must be finite and not all zero")
    return rows / lengths
