"""How many records each model has, counted once and then only what is new: a ledger never shrinks."""

from __future__ import annotations

import threading

from tiacam.registry.store import Store


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
            new = self._store.rows(
                "SELECT model, count(*), max(seq) FROM record WHERE seq > ? GROUP BY model ORDER BY min(seq)",
                self._seen,
            )
            for model, count, last in new:
                self._counts[model] = self._counts.get(model, 0) + count
                self._seen = max(self._seen, last)
            return dict(self._counts)
