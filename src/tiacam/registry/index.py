"""Finding the nearest features: one small interface, and the exact search that needs nothing but numpy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tiacam.errors import RegistryError


@dataclass(frozen=True)
class Neighbour:
    """A record whose feature is near the one that was looked for."""

    record_id: str
    cosine: float


class Index(Protocol):
    """Unit vectors of one width under their record ids; it can always be rebuilt from the ledger."""

    def __len__(self) -> int: ...

    def add(self, record_ids: Sequence[str], features: NDArray[np.generic]) -> None:
        """Take in `features` (N, D), one row for each id."""

    def search(self, queries: ArrayLike, count: int) -> list[list[Neighbour]]:
        """For each row of `queries` (Q, D) the `count` nearest, nearest first."""


class ExactIndex:
    """All features in one fp32 matrix: a search is one matrix product and always right."""

    def __init__(self, width: int) -> None:
        self._rows: NDArray[np.float32] = np.empty((64, width), np.float32)
        self._ids: list[str] = []

    def __len__(self) -> int:
        return len(self._ids)

    def add(self, record_ids: Sequence[str], features: NDArray[np.generic]) -> None:
        unit = to_unit_rows(features, self._rows.shape[1])  # (N, D)
        used, needed = len(self._ids), len(self._ids) + len(unit)
        if needed > len(self._rows):
            grown = np.empty((max(needed, 2 * len(self._rows)), self._rows.shape[1]), np.float32)
            grown[:used] = self._rows[:used]
            self._rows = grown
        self._rows[used:needed] = unit
        self._ids.extend(record_ids)

    def search(self, queries: ArrayLike, count: int) -> list[list[Neighbour]]:
        unit = to_unit_rows(queries, self._rows.shape[1])  # (Q, D)
        cosines = unit @ self._rows[: len(self._ids)].T  # (Q, N)
        return [self._nearest(row, count) for row in cosines]

    def _nearest(self, cosines: NDArray[np.float32], count: int) -> list[Neighbour]:
        best = np.arange(len(cosines))
        if count < len(cosines):
            best = np.sort(np.argpartition(cosines, -count)[-count:])
        # A stable sort puts the older of two equal records first.
        order = best[np.argsort(-cosines[best], kind="stable")]
        return [Neighbour(self._ids[row], float(cosines[row])) for row in order]


def to_unit_rows(features: ArrayLike, width: int) -> NDArray[np.float32]:
    rows = np.asarray(features, dtype=np.float32)
    if rows.ndim != 2 or rows.shape[1] != width:
        raise RegistryError(f"features have shape {rows.shape}, this model's have width {width}")
    lengths: NDArray[np.float32] = np.linalg.norm(rows, axis=1, keepdims=True)  # (N, 1)
    if not ((lengths > 0) & np.isfinite(lengths)).all():
        raise RegistryError("a feature must be finite and not all zero")
    return rows / lengths
