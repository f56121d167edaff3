"""Pages of the ledger: a few records at a time, from a place in the chain."""

from __future__ import annotations

from collections.abc import Iterator

from tiacam.registry import Registry
from tiacam.registry.rows import SELECT, StoredRecord, from_row


def stored_after(registry: Registry, number: int, limit: int) -> Iterator[StoredRecord]:
    """At most `limit` records that come after the one with this number, in the order of the chain."""
    rows = registry.store.rows(f"{SELECT} WHERE seq > ? ORDER BY seq LIMIT ?", number, limit)
    return map(from_row, rows)


def manifests_after(registry: Registry, number: int, limit: int) -> Iterator[StoredRecord]:
    """The same, of records that carry a manifest alone."""
    query = f"{SELECT} WHERE seq > ? AND manifest_sha256 IS NOT NULL ORDER BY seq LIMIT ?"
    return map(from_row, registry.store.rows(query, number, limit))
