"""How many records each model has, counted once and then only what is new: a ledger never shrinks."""

from __future__ import annotations

import threading

from tiacam.registry.store import Store

COUNT = "SELECT model, count(*), max(seq)"
BY_MODEL = "GROUP BY model ORDER BY min(seq)"


class ModelCounts:
    """Asked with every reading, so it must not cost more the larger the registry is."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._counts: dict[str, int] = {}
        self._seen = 0
        self._lock = threading.Lock()

    def current(self) -> dict[str, int]:
        """Model → records, in the order in which the models came; what others added is in it."""
        with self._lock:
            for model, count, last in self._news():
                self._counts[model] = self._counts.get(model, 0) + count
                self._seen = max(self._seen, last)
            return dict(self._counts)

    def _news(self) -> list[tuple[str, int, int]]:
        """Model, records and their last number, of what was not counted before.

        SQLite would count by going through the whole index of models, whatever `seq` is asked for; that is done once.
        """
        if not self._seen:
            return self._store.rows(f"{COUNT} FROM record {BY_MODEL}")
        ((newest,),) = self._store.rows("SELECT max(seq) FROM record")
        if (newest or 0) <= self._seen:
            return []
        news = "(SELECT model, seq FROM record WHERE seq > ? ORDER BY seq LIMIT ?) AS news"
        return self._store.rows(f"{COUNT} FROM {news} {BY_MODEL}", self._seen, newest - self._seen)
