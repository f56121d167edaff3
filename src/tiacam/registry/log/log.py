"""The log of one registry: signing heads of its tree, proving records, and keeping the key events."""

from __future__ import annotations

import json
from collections.abc import Callable

from tiacam.errors import DamagedRegistryError, RecordNotFoundError, RegistryError
from tiacam.registry.keys import OwnerKey
from tiacam.registry.log.events import KeyEvent, KeyHistory
from tiacam.registry.log.heads import TreeHead
from tiacam.registry.log.merkle import StoredTree, hash_leaf
from tiacam.registry.log.proofs import GrowthProof, RecordProof
from tiacam.registry.record import GENESIS, TIME_FORMAT
from tiacam.registry.registration import encode
from tiacam.registry.rows import SELECT, StoredRecord, from_row
from tiacam.registry.store import Store

Stamp = Callable[[bytes], bytes]


class Log:
    """What makes a registry's history hard to rewrite. Nothing here is secret, and reading needs no key."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._tree = StoredTree(self._leaves)

    def sign_head(self, key: OwnerKey, stamp: Stamp | None = None) -> TreeHead:
        """State what the registry holds now, sign it, have it stamped where that is wanted, and keep it."""
        size, history = self.size(), self.history()
        history.check(key.public)
        head = TreeHead(
            size=size,
            root=self._tree.root(0, size),
            events=len(history.events),
            events_head=history.head,
            created_at=self._now(),
            log=key.public,
        ).signed(key)
        if stamp is not None:
            head = TreeHead(**vars(head) | {"stamp": stamp(head.signed_bytes())})
        with self._store.transaction():
            self.keep_head(head)
        return head

    def covering_head(self, key: OwnerKey) -> TreeHead:
        """The latest head if it covers every record and key event, otherwise a new one."""
        latest = self.latest_head()
        if latest and (latest.size, latest.events) == (self.size(), len(self.history().events)):
            return latest
        return self.sign_head(key)

    def heads(self) -> list[TreeHead]:
        """All heads that were ever signed here, oldest first, their signatures checked."""
        rows = self._store.rows("SELECT body FROM tree_head ORDER BY seq")
        return [TreeHead.from_json(parse(row[0])) for row in rows]

    def latest_head(self) -> TreeHead | None:
        rows = self._store.rows("SELECT body FROM tree_head ORDER BY seq DESC LIMIT 1")
        return TreeHead.from_json(parse(rows[0][0])) if rows else None

    def prove(self, record_id: str, head: TreeHead | None = None) -> RecordProof:
        """That a record is in the log of a head, by default the latest; checked before it is handed out."""
        stored = self._find(record_id)
        head = head or self.latest_head()
        if head is None or head.size < stored.number:
            raise RegistryError(
                f"record {record_id} is newer than the last tree head: sign one first, with `tiacam prove ID --sign`"
            )
        path = self._tree.inclusion(stored.number - 1, 0, head.size)
        proof = RecordProof(record=stored.record, number=stored.number, head=head, path=tuple(path))
        proof.verify()
        return proof

    def prove_growth(self, first: TreeHead, second: TreeHead | None = None) -> GrowthProof:
        """That the log has only grown since the first head; an error where it has not."""
        second = second or self.latest_head()
        if second is None or second.size < first.size:
            raise DamagedRegistryError(
                f"the log once held {first.size} records, its latest tree head has "
                f"{second.size if second else 0}: records were deleted, or another registry is meant"
            )
        path = self._tree.consistency(first.size, 0, second.size) if first.size else []
        proof = GrowthProof(first=first, second=second, path=tuple(path))
        proof.verify()
        return proof

    def history(self) -> KeyHistory:
        rows = self._store.rows("SELECT body FROM key_event ORDER BY seq")
        return KeyHistory(KeyEvent.from_json(parse(row[0])) for row in rows)

    def rotate(self, key: OwnerKey, successor: OwnerKey) -> KeyEvent:
        """Go over from a key to another: from now on records signed by the old one are refused."""
        if key.public == successor.public:
            raise RegistryError(f"the key {key.fingerprint} cannot follow itself: name another file")
        return self._end("rotate", key, key, successor)

    def revoke(self, key: bytes, signer: OwnerKey, since: int | None = None) -> KeyEvent:
        """Take a key back, signed by itself or its successor; after record number `since` it does not count."""
        return self._end("revoke", key, signer, None, since)

    def is_revoked(self, record_id: str, owner: bytes, history: KeyHistory) -> bool:
        """Whether a record does not count, because its key was taken back from before it on."""
        if history.ended(owner) is None:
            return False  # the common case costs nothing
        return history.distrusts(owner, self.number(record_id))

    def size(self) -> int:
        return int(self._store.rows("SELECT coalesce(max(seq), 0) FROM record")[0][0])

    def number(self, record_id: str) -> int:
        """The place of a record in the chain, counted from 1."""
        return self._find(record_id).number

    def keep_head(self, head: TreeHead) -> None:
        """Store a head, inside a transaction."""
        number = self._next("tree_head")
        self._store.execute("INSERT INTO tree_head VALUES (?, ?, ?)", number, head.size, dump(head))

    def keep_event(self, event: KeyEvent) -> None:
        """Store an event, inside a transaction."""
        self._store.execute("INSERT INTO key_event VALUES (?, ?)", self._next("key_event"), dump(event))

    def _end(
        self,
        kind: str,
        key: OwnerKey | bytes,
        signer: OwnerKey,
        successor: OwnerKey | None,
        since: int | None = None,
    ) -> KeyEvent:
        with self._store.transaction():
            history, number = self.history(), self.size()
            if successor is not None:
                for one in (signer, successor):
                    history.check(one.public)
            event = KeyEvent(
                kind=kind,
                key=key if isinstance(key, bytes) else key.public,
                successor=successor.public if successor else b"",
                since=number if since is None else since,
                number=number,
                head=self._hash(number),
                created_at=self._now(),
                previous=history.head,
                signer=signer.public,
            ).signed(signer, successor)
            history.append(event)
            self.keep_event(event)
        return event

    def _now(self) -> str:
        return self._store.clock().strftime(TIME_FORMAT)

    def _next(self, table: str) -> int:
        return int(self._store.rows(f"SELECT coalesce(max(seq), 0) + 1 FROM {table}")[0][0])

    def _find(self, record_id: str) -> StoredRecord:
        rows = self._store.rows(f"{SELECT} WHERE id = ?", record_id)
        if not rows:
            raise RecordNotFoundError(f"no record has the id {record_id!r}: `tiacam list` shows all ids")
        return from_row(rows[0])

    def _hash(self, number: int) -> bytes:
        rows = self._store.rows(f"{SELECT} WHERE seq = ?", number)
        return from_row(rows[0]).record.hash if rows else GENESIS

    def _leaves(self, start: int, end: int) -> list[bytes]:
        """Leaf hashes: every record holds the hash of the one before it, so only the last must be read whole."""
        rows = self._store.rows(
            "SELECT previous FROM record WHERE seq > ? AND seq <= ? ORDER BY seq", start + 1, end + 1
        )
        hashes = [bytes(row[0]) for row in rows]
        if len(hashes) == end - start - 1:
            hashes.append(self._hash(end))
        if len(hashes) != end - start:
            raise DamagedRegistryError(f"the ledger lacks records between {start + 1} and {end}")
        return [hash_leaf(value) for value in hashes]


def dump(statement: TreeHead | KeyEvent) -> str:
    return encode(statement.to_json()).decode()  # all of it is ASCII


def parse(body: str) -> dict[str, object]:
    try:
        value = json.loads(body)
    except (TypeError, ValueError) as error:
        raise DamagedRegistryError(f"a tree head or key event was edited: {error}") from error
    return value if isinstance(value, dict) else {}
