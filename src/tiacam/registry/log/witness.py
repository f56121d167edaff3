"""The witness of an audit: sees every record in order and holds them against what was signed about them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from tiacam.errors import DamagedRegistryError
from tiacam.registry.chain import is_before
from tiacam.registry.keys import fingerprint
from tiacam.registry.log.events import KeyEvent, KeyHistory
from tiacam.registry.log.heads import TreeHead
from tiacam.registry.log.merkle import EMPTY, GrowingTree, hash_leaf
from tiacam.registry.record import GENESIS
from tiacam.registry.rows import StoredRecord


class Witness:
    """Checks roots and times of tree heads, and the keys of records, along one walk of the chain."""

    def __init__(self, heads: Iterable[TreeHead], history: KeyHistory) -> None:
        self.tree = GrowingTree()
        self.distrusted: list[str] = []
        self._history = history
        self._heads: dict[int, list[TreeHead]] = defaultdict(list)
        self._events: dict[int, list[KeyEvent]] = defaultdict(list)
        for head in heads:
            self._heads[head.size].append(head)
            self._check_events(head)
        for event in history.events:
            self._events[event.number].append(event)
        self._latest_head = ""
        self._compare(EMPTY, GENESIS)

    def see(self, stored: StoredRecord) -> None:
        self._check_key(stored)
        if is_before(stored.record.created_at, self._latest_head):
            raise DamagedRegistryError(
                f"record {stored.record.id} (number {stored.number}) was back-dated: it says "
                f"{stored.record.created_at}, but was not there when a tree head was signed at {self._latest_head}"
            )
        self.tree.append(hash_leaf(stored.record.hash))
        for head in self._heads.get(stored.number, ()):
            if is_before(head.created_at, stored.record.created_at):
                raise DamagedRegistryError(
                    f"record {stored.record.id} (number {stored.number}) says {stored.record.created_at}, "
                    f"but was there already when a tree head was signed at {head.created_at}"
                )
        self._compare(self.tree.root, stored.record.hash)

    def finish(self) -> None:
        missing = [size for size in (*self._heads, *self._events) if size > self.tree.size]
        if missing:
            raise DamagedRegistryError(
                f"the ledger holds {self.tree.size} records, but it was signed that it held {max(missing)}: "
                "the newest were deleted"
            )

    def _compare(self, root: bytes, last: bytes) -> None:
        """Hold what was signed about the log of this size against what it is."""
        for head in self._heads.get(self.tree.size, ()):
            self._latest_head = max(self._latest_head, head.created_at)
            if head.root != root:
                raise DamagedRegistryError(
                    f"the first {head.size} records are not those of the tree head that {fingerprint(head.log)} "
                    f"signed at {head.created_at}: the history was rewritten"
                )
        for event in self._events.get(self.tree.size, ()):
            if event.head != last:
                raise DamagedRegistryError(
                    f"the key event about {fingerprint(event.key)} of {event.created_at} belongs to another history"
                )

    def _check_key(self, stored: StoredRecord) -> None:
        record, number = stored.record, stored.number
        if self._history.ended_before(record.owner, number):
            raise DamagedRegistryError(
                f"record {record.id} (number {number}) is signed by the key {fingerprint(record.owner)} "
                "after that key had been given up"
            )
        if self._history.distrusts(record.owner, number):
            self.distrusted.append(record.id)

    def _check_events(self, head: TreeHead) -> None:
        events = self._history.events
        last = events[head.events - 1].hash if 0 < head.events <= len(events) else GENESIS
        if head.events > len(events) or head.events_head != last:
            raise DamagedRegistryError(
                f"the tree head of {head.created_at} knows {head.events} key events that are not those of this "
                "registry: key events were edited or deleted"
            )
