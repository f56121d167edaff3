"""A shelf keeps one model's index up with the ledger; the plain one holds every feature in memory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from tiacam.registry.following import ModelFeatures
from tiacam.registry.index import ExactIndex, Hits


@dataclass(frozen=True)
class IndexState:
    """How far an index has followed the ledger: `lagging` records are stored, but not in the index yet."""

    kind: str
    place: str
    records: int
    lagging: int

    def __str__(self) -> str:
        behind = f", {self.lagging} more lag behind" if self.lagging else ""
        return f"{self.kind} index {self.place}: {self.records} records{behind}"


class Shelf(Protocol):
    """One model's index. `search` answers from what the last `catch_up` took in, with true cosines."""

    def catch_up(self) -> None:
        """Take in what any process has added to the ledger; one thread at a time."""

    def search(self, queries: NDArray[np.float32], count: int) -> list[Hits]: ...

    def state(self) -> IndexState: ...

    def close(self) -> None: ...


class ExactShelf:
    """Everything from a number on in an exact index, read from the ledger when the process starts."""

    def __init__(self, features: ModelFeatures, after: int = 0) -> None:
        self._features = features
        self._index = ExactIndex(features.width)
        self._after = after
        self.seen = after

    def __len__(self) -> int:
        return len(self._index)

    def catch_up(self) -> None:
        for page in self._features.pages(self.seen):
            self._index.add(page.numbers, page.matrix)
            self.seen = page.last

    def search(self, queries: NDArray[np.float32], count: int) -> list[Hits]:
        return self._index.search(queries, count)

    def state(self) -> IndexState:
        total = self._features.total() - self._features.count(self._after)
        return IndexState("exact", "in memory", len(self._index), total - len(self._index))

    def close(self) -> None:
        """Nothing to do: the memory goes with the object."""
