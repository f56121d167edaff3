"""The registry: an append-only ledger of signed records, searchable by feature, in SQLite or PostgreSQL."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Self, TextIO

import numpy as np
from numpy.typing import ArrayLike

from tiacam.errors import (
    DamagedRegistryError,
    RecordExistsError,
    RecordNotFoundError,
    RegistryError,
    RegistryUnavailableError,
)
from tiacam.registry.chain import ChainReport, next_time, verify
from tiacam.registry.choosing import AUTO, choose_search
from tiacam.registry.counting import ModelCounts
from tiacam.registry.database import Database
from tiacam.registry.exchange import Entry, ImportReport, Line, check_manifest, verified, write_lines
from tiacam.registry.index import Neighbour
from tiacam.registry.keys import OwnerKey
from tiacam.registry.log import KeyEvent, Log, TreeHead
from tiacam.registry.log.log import dump
from tiacam.registry.log.witness import Witness
from tiacam.registry.place import is_url
from tiacam.registry.record import GENESIS, Record
from tiacam.registry.registration import Draft
from tiacam.registry.rows import INSERT, SELECT, StoredRecord, from_row, stream, to_row
from tiacam.registry.search import FeatureSearch, FeatureTable
from tiacam.registry.shelves import IndexState
from tiacam.registry.store import Search, Store

SHORTEST_PREFIX = 6
PATIENCE_S = 30.0


def nothing(_: Draft) -> Record | None:
    return None


class Registry:
    """Records go in, are found again, and never change; many processes may have it open at once."""

    def __init__(self, database: Store, search: Search | None = None) -> None:
        self._database = database
        self._log = Log(database)
        self._counts = ModelCounts(database)
        self._search = search or FeatureSearch(database)

    @classmethod
    def open(
        cls,
        place: str | os.PathLike[str],
        *,
        create: bool = True,
        timeout: float = PATIENCE_S,
        index: str = AUTO,
    ) -> Registry:
        """Open the registry in a file or at a `postgresql://` URL, by default made there.

        `timeout` is how many seconds to wait for a lock, or for a server that went away. `index` is how
        features are found (docs/scale.md): auto, exact, signs, usearch or milvus://host:port.
        """
        search = choose_search(place, index)
        if is_url(place):
            return open_on_server(str(place), create, timeout, search)
        database = Database.open(Path(place).absolute(), create=create, timeout=timeout)
        return cls(database, search(database) if search else None)

    @property
    def name(self) -> str:
        """The path or the URL without its password, for people to read."""
        return self._database.name

    def add(self, draft: Draft, key: OwnerKey) -> Record:
        """Sign and store one record; when this returns, the record survives a crash."""
        return self.add_many([draft], key)[0]

    def add_many(
        self, drafts: Iterable[Draft], key: OwnerKey, *, known: Callable[[Draft], Record | None] = nothing
    ) -> list[Record]:
        """Store all drafts in one transaction, all or none; one that is `known` by then gives that record."""
        drafts = list(drafts)
        records = self._database.attempt(lambda again: self._append(drafts, key, known, again=again))
        self._search.follow({record.model for record in records})
        return records

    def get(self, record_id: str) -> Record:
        """The record with this id, or the only one whose id begins so (6 characters or more)."""
        wanted = record_id.strip().lower().encode("ascii", "replace").decode()
        rows = self._database.rows(f"{SELECT} WHERE id = ?", wanted) if wanted.isalnum() else []
        if not rows and len(wanted) >= SHORTEST_PREFIX and wanted.isalnum():
            rows = self._database.rows(
                f"{SELECT} WHERE id >= ? AND id < ? LIMIT 2", wanted, wanted + "\U0010ffff"
            )
        if not rows:
            raise RecordNotFoundError(f"no record has the id {record_id!r}: `tiacam list` shows all ids")
        if len(rows) > 1:
            raise RecordNotFoundError(
                f"{record_id!r} begins several ids ({rows[0][1]}, {rows[1][1]}, ...): give more of it"
            )
        record = from_row(rows[0]).record
        if not record.is_signed():
            raise DamagedRegistryError(f"record {record.id} was edited: its owner's signature does not match")
        return record

    def manifest(self, record_id: str) -> bytes:
        """The C2PA manifest that was registered with a record, byte for byte; empty where there was none."""
        return self._manifest_of(self.get(record_id))

    def by_file(self, sha256: str) -> list[Record]:
        """The records of one file, whoever registered it, oldest first."""
        rows = self._database.rows(f"{SELECT} WHERE sha256 = ? ORDER BY seq", sha256)
        return [from_row(row).record for row in rows]

    def __len__(self) -> int:
        return int(self._database.rows("SELECT count(*) FROM record")[0][0])

    def records(self) -> Iterator[Record]:
        """All records in the order of the chain; others may go on adding meanwhile."""
        return (stored.record for stored in self._stored())

    def find(self, feature: ArrayLike, count: int, model: str) -> list[Neighbour]:
        """The `count` records of `model` with the nearest features, nearest first; maybe none."""
        return self.find_many(np.asarray(feature)[np.newaxis], count, model)[0]

    def find_many(self, features: ArrayLike, count: int, model: str) -> list[list[Neighbour]]:
        """`find` for every row of `features` (Q, D) in one product: the views of one photo, for example."""
        return self._search.find(features, count, model)

    def features(self, model: str) -> FeatureTable:
        return self._search.table(model)

    def index_state(self, model: str) -> IndexState | None:
        """How far the index of a model has followed the ledger; None for a model without records."""
        return self._search.state(model)

    def models(self) -> dict[str, int]:
        """How many records each model has."""
        return self._counts.current()

    @property
    def store(self) -> Store:
        return self._database

    @property
    def log(self) -> Log:
        """Tree heads, proofs and key events."""
        return self._log

    def verify_chain(
        self,
        noted_head: bytes | None = None,
        noted: TreeHead | None = None,
        each: Callable[[], object] = lambda: None,
    ) -> ChainReport:
        """Check the database, every signature, link, manifest, tree head and key event, in one walk.

        The error names the first bad record and why. By itself a registry cannot tell that its newest records
        were cut off with everything that was signed about them; with the `noted_head` of an earlier report, or
        a tree head `noted` elsewhere, it can. `each` is called for each record that was found good.
        """
        if problem := self._database.problem():
            raise DamagedRegistryError(f"the registry {self.name} is damaged: {problem}")
        heads, history = self._log.heads(), self._log.history()
        witness = Witness([*heads, noted] if noted else heads, history)

        def see(stored: StoredRecord) -> None:
            witness.see(stored)
            self._manifest_of(stored.record)
            each()

        report = verify(self._stored, self._database.ever_stored(), noted_head, see)
        witness.finish()
        return replace(
            report,
            root=witness.tree.root,
            tree_heads=len(heads),
            key_events=len(history.events),
            distrusted=tuple(witness.distrusted),
        )

    def export(self, target: str | Path | TextIO) -> int:
        """Write all records as JSON lines to a path or an open text file; returns how many."""
        return write_lines(self.lines(), target)

    def lines(self) -> Iterator[Line]:
        """All that an export holds: the records with their manifests, then key events and tree heads."""
        # Read first, so that whatever they are about is among the records even if others go on adding.
        statements: list[KeyEvent | TreeHead] = [*self._log.history().events, *self._log.heads()]
        for record in self.records():
            yield Entry(record, self._manifest_of(record))
        yield from statements

    def import_(self, source: str | Path | Iterable[str | bytes]) -> ImportReport:
        """Take in an export from a path or an open file, all or nothing, signatures and chain checked first.

        The chain is kept as it is, so this registry must be empty or hold the beginning of the same chain.
        """
        with verified(source) as incoming:
            return self.merge(incoming)

    def merge(self, incoming: Iterable[Line]) -> ImportReport:
        """Take in the lines of another registry that continues this one, all or nothing."""
        with self._database.transaction():
            return self._merge(incoming)

    def close(self) -> None:
        self._search.close()
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _append(
        self, drafts: Sequence[Draft], key: OwnerKey, known: Callable[[Draft], Record | None], *, again: bool
    ) -> list[Record]:
        """Sign and insert; `again` where a first attempt may have been stored without our learning of it."""
        with self._database.transaction():
            self._log.history().check(key.public)
            last = self._last()
            number, head = (last.number, last.record.hash) if last else (0, GENESIS)
            time = next_time(last.record.created_at if last else "", self._database.clock())
            records: list[Record] = []
            for draft in drafts:
                record = (self._stored_before(draft, key) if again else None) or known(draft)
                if record is None:
                    record = Record.sign(draft, key, head, time)
                    number, head = number + 1, record.hash
                    self._prepare(self._insert(number, Entry(record, draft.manifest)))
                records.append(record)
        return records

    def _stored_before(self, draft: Draft, key: OwnerKey) -> Record | None:
        """The record of this draft if it is there: an id does not depend on time and place."""
        rows = self._database.rows(f"{SELECT} WHERE id = ?", Record.sign(draft, key, GENESIS).id)
        return from_row(rows[0]).record if rows else None

    def _merge(self, incoming: Iterable[Line]) -> ImportReport:
        added = present = 0
        widths: dict[str, int] = {}
        own = self._stored()
        kept: list[KeyEvent | TreeHead] = [*self._log.history().events, *self._log.heads()]
        known = {dump(statement) for statement in kept}
        for theirs in incoming:
            if not isinstance(theirs, Entry):
                self._keep(theirs, known)
                continue
            mine = None if added else next(own, None)
            if mine is None:
                added += 1
                widths |= self._insert(present + added, theirs)
            elif mine.record == theirs.record:
                present += 1
            else:
                raise RegistryError(
                    f"the import is another history: its record {theirs.record.id} stands where this registry "
                    f"has {mine.record.id} (number {mine.number}); import it into an empty registry"
                )
        self._prepare(widths)  # an index over all rows at once is made faster than row by row
        return ImportReport(added, present)

    def _keep(self, statement: TreeHead | KeyEvent, known: set[str]) -> None:
        if dump(statement) in known:
            return
        if isinstance(statement, TreeHead):
            self._log.keep_head(statement)
        else:
            self._log.history().append(statement)  # refuses one that does not follow those that are here
            self._log.keep_event(statement)

    def _stored(self) -> Iterator[StoredRecord]:
        return stream(self._database)

    def _last(self) -> StoredRecord | None:
        rows = self._database.rows(f"{SELECT} ORDER BY seq DESC LIMIT 1")
        return from_row(rows[0]) if rows else None

    def _manifest_of(self, record: Record) -> bytes:
        if record.manifest_sha256 is None:
            return b""
        rows = self._database.rows("SELECT data FROM manifest WHERE sha256 = ?", record.manifest_sha256)
        manifest = bytes(rows[0][0]) if rows else None
        check_manifest(record, manifest)
        return manifest or b""

    def _prepare(self, widths: dict[str, int]) -> None:
        for model, width in widths.items():
            self._database.prepare_model(model, width)

    def _insert(self, number: int, entry: Entry) -> dict[str, int]:
        """Store one record; returns its model with the width of its features if it is the first of that model."""
        record = entry.record
        if self._database.rows("SELECT 1 FROM record WHERE id = ?", record.id):
            raise RecordExistsError(f"record {record.id} is in the registry already")
        width = self._search.width(record.model)
        if width not in (None, record.feature.size):
            raise RegistryError(
                f"the feature has width {record.feature.size}, those of model {record.model!r} have {width}"
            )
        self._database.execute(INSERT, *self._database.adapt(to_row(number, record)))
        if entry.manifest:
            self._database.execute(
                "INSERT INTO manifest VALUES (?, ?) ON CONFLICT DO NOTHING",
                record.manifest_sha256,
                entry.manifest,
            )
        return {record.model: record.feature.size} if width is None else {}


def open_on_server(
    url: str, create: bool, timeout: float, search: Callable[[Store], Search] | None
) -> Registry:
    try:
        from tiacam.registry.postgres import PostgresDatabase, VectorSearch
    except ImportError as error:
        raise RegistryUnavailableError(
            f"a registry in PostgreSQL needs psycopg ({error}): pip install 'tiacam[postgres]'"
        ) from error
    database = PostgresDatabase.open(url, create=create, timeout=timeout)
    return Registry(database, search(database) if search else VectorSearch(database))
