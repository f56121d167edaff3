"""Manifests by their C2PA identifier: which record carries which."""

from __future__ import annotations

import threading

from tiacam.errors import DataError, RecordNotFoundError
from tiacam.registry import Record, Registry
from tiacam.service.jumbf import ManifestStore, parse_store
from tiacam.service.ledger import manifests_after

PAGE = 500


class ManifestShelf:
    """Finds manifest stores by the label of their active manifest; all of it can be read again from the registry."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry
        self._lock = threading.Lock()
        self._records: dict[str, str] = {}  # label → the oldest record that carries it
        self._scanned = 0  # the number of the last record that was looked at

    def label_of(self, record: Record) -> str | None:
        """The identifier of the record's active manifest, None where it carries none."""
        store = self._store_of(record)
        if store is None:
            return None
        label = store.active.label
        with self._lock:
            self._records.setdefault(label, record.id)
        return label

    def find(self, label: str) -> bytes:
        """The manifest store with this active manifest, byte for byte as it was registered."""
        if label not in self._records:
            self._scan()
        record_id = self._records.get(label)
        if record_id is None:
            raise RecordNotFoundError(f"no record carries the manifest {label[:200]!r}")
        return self._registry.manifest(record_id)

    def _scan(self) -> None:
        """Read the manifests of what was added to the ledger since the last time."""
        with self._lock:
            while page := list(manifests_after(self._registry, self._scanned, PAGE)):
                for stored in page:
                    store = self._store_of(stored.record)
                    if store is not None:
                        self._records.setdefault(store.active.label, stored.record.id)
                self._scanned = page[-1].number

    def _store_of(self, record: Record) -> ManifestStore | None:
        if record.manifest_sha256 is None:
            return None
        try:
            return parse_store(self._registry.manifest(record.id))
        except DataError:
            return None  # registered by other means than this service, which checks
