"""The features of a ledger, searched by model and kept up with what any process adds to it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tiacam.errors import DamagedRegistryError, RegistryError
from tiacam.registry.index import Index, Neighbour
from tiacam.registry.registration import HALF
from tiacam.registry.store import Store

PAGE = 4096


@dataclass(frozen=True)
class FeatureTable:
    """All features of one model in chain order; row i of `matrix` (N, D) belongs to record_ids[i]."""

    record_ids: tuple[str, ...]
    matrix: NDArray[np.float16]


@dataclass
class Shelf:
    """One model's index and the last row of the ledger that it has seen."""

    index: Index
    seen: int = 0


class FeatureSearch:
    """One index per model, built on first use and then extended by the rows that are new."""

    def __init__(self, database: Store, make_index: Callable[[int], Index]) -> None:
        self._database = database
        self._make_index = make_index
        self._shelves: dict[str, Shelf] = {}
        self._lock = threading.Lock()

    def find(self, queries: ArrayLike, count: int, model: str) -> list[list[Neighbour]]:
        if count < 1:
            raise RegistryError(f"count must be at least 1, got {count}")
        index = self._current_index(model)
        return [[] for _ in np.asarray(queries)] if index is None else index.search(queries, count)

    def table(self, model: str) -> FeatureTable:
        width = self.width(model)
        if width is None:
            return FeatureTable((), np.empty((0, 0), HALF))
        pages, seen = [], 0
        while page := self._page(model, seen, width):
            pages.append(page)
            seen = page.last
        ids = tuple(record_id for page in pages for record_id in page.ids)
        return FeatureTable(ids, np.concatenate([page.matrix for page in pages]))

    def width(self, model: str) -> int | None:
        """The width of the model's features, None before its first record."""
        rows = self._database.rows(
            "SELECT length(feature) FROM record WHERE model = ? ORDER BY seq LIMIT 1", model
        )
        return int(rows[0][0]) // HALF.itemsize if rows else None

    def _current_index(self, model: str) -> Index | None:
        with self._lock:
            width = self.width(model)
            if width is None:
                return None
            shelf = self._shelves.get(model) or Shelf(self._make_index(width))
            self._shelves[model] = shelf
            while page := self._page(model, shelf.seen, width):
                shelf.index.add(page.ids, page.matrix)
                shelf.seen = page.last
            return shelf.index

    def _page(self, model: str, after: int, width: int) -> Page | None:
        rows = self._database.rows(
            "SELECT seq, id, feature FROM record WHERE model = ? AND seq > ? ORDER BY seq LIMIT ?",
            model,
            after,
            PAGE,
        )
        if not rows:
            return None
        for _, record_id, feature in rows:
            if len(feature) != width * HALF.itemsize:
                raise DamagedRegistryError(f"record {record_id} was edited: its feature has another width")
        matrix = np.frombuffer(b"".join(row[2] for row in rows), HALF).reshape(len(rows), width)  # (N, D)
        return Page(rows[-1][0], [row[1] for row in rows], matrix)


@dataclass(frozen=True)
class Page:
    """A few thousand features in a row; `last` is where the next page starts after."""

    last: int
    ids: list[str]
    matrix: NDArray[np.float16]
