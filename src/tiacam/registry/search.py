"""The features of a ledger, searched by model and kept up with what any process adds to it."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tiacam.errors import DamagedRegistryError, RegistryError, RegistryUnavailableError
from tiacam.registry.following import ModelFeatures, unique_numbers, width_of
from tiacam.registry.index import Hits, Neighbour, to_unit_rows
from tiacam.registry.registration import HALF
from tiacam.registry.shelves import ExactShelf, IndexState, Shelf
from tiacam.registry.store import Store

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class FeatureTable:
    """All features of one model in chain order; row i of `matrix` (N, D) belongs to record_ids[i]."""

    record_ids: tuple[str, ...]
    matrix: NDArray[np.float16]


class FeatureSearch:
    """One index per model, opened on first use and then extended by the rows that are new.

    An `eager` one is brought up with every registration too: it is shared, and others read from it.
    """

    def __init__(
        self, store: Store, make_shelf: Callable[[ModelFeatures], Shelf] = ExactShelf, *, eager: bool = False
    ) -> None:
        self._store = store
        self._make_shelf = make_shelf
        self._eager = eager
        self._shelves: dict[str, Shelf] = {}
        self._known: dict[str, ModelFeatures] = {}
        self._lock = threading.Lock()

    def find(self, queries: ArrayLike, count: int, model: str) -> list[list[Neighbour]]:
        if count < 1:
            raise RegistryError(f"count must be at least 1, got {count}")
        features = self._features(model)
        if features is None:
            return [[] for _ in np.asarray(queries)]
        unit = to_unit_rows(queries, features.width)  # (Q, D)
        hits = self._current_shelf(features).search(unit, count)
        return name(features, hits)

    def table(self, model: str) -> FeatureTable:
        features = self._features(model)
        if features is None:
            return FeatureTable((), np.empty((0, 0), HALF))
        pages = list(features.pages())
        ids = tuple(record_id for page in pages for record_id in page.ids)
        return FeatureTable(ids, np.concatenate([page.matrix for page in pages]))

    def width(self, model: str) -> int | None:
        """The width of the model's features, None before its first record."""
        return width_of(self._store, model)

    def follow(self, models: Iterable[str]) -> None:
        """Called when records were stored: an index that cannot follow now lags, and nothing is lost."""
        if not self._eager:
            return
        for features in filter(None, map(self._features, models)):
            try:
                self._current_shelf(features)
            except RegistryUnavailableError as error:
                logger.warning("the records are stored, but the index lags behind them: %s", error)

    def state(self, model: str) -> IndexState | None:
        """How far the model's index has come; None before its first record."""
        features = self._features(model)
        if features is None:
            return None
        with self._lock:
            return self._shelf(features).state()

    def close(self) -> None:
        with self._lock:
            for shelf in self._shelves.values():
                shelf.close()
            self._shelves.clear()

    def _features(self, model: str) -> ModelFeatures | None:
        """Asked for once a model: its width stays what its first record's was."""
        if model not in self._known:
            width = self.width(model)
            if width is None:
                return None
            self._known[model] = ModelFeatures(self._store, model, width)
        return self._known[model]

    def _current_shelf(self, features: ModelFeatures) -> Shelf:
        with self._lock:
            shelf = self._shelf(features)
            shelf.catch_up()
            return shelf

    def _shelf(self, features: ModelFeatures) -> Shelf:
        if features.model not in self._shelves:
            self._shelves[features.model] = self._make_shelf(features)
        return self._shelves[features.model]


def name(features: ModelFeatures, hits: list[Hits]) -> list[list[Neighbour]]:
    """The hits with their records' ids, which only the ledger knows."""
    numbers = unique_numbers(hits)
    ids = features.ids(numbers)
    if len(ids) != len(numbers):
        raise DamagedRegistryError(
            f"{len(numbers) - len(ids)} records that were in the ledger a moment ago are gone from it"
        )
    return [
        [
            Neighbour(ids[int(number)], float(cosine))
            for number, cosine in zip(hit.numbers, hit.cosines, strict=True)
        ]
        for hit in hits
    ]
