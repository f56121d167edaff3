"""What an index follows: one model's features as the ledger holds them, and how far it has come."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tiacam.errors import DamagedRegistryError
from tiacam.registry.index import Hits, Numbers, to_unit_rows
from tiacam.registry.registration import HALF
from tiacam.registry.rows import SELECT, from_row
from tiacam.registry.store import Store

PAGE = 4096
ASKED_AT_ONCE = 500  # values in one query: SQLite may have been built with a limit of 999


@dataclass(frozen=True)
class Page:
    """A few thousand features in a row; `last` is where the next page starts after."""

    numbers: Numbers  # (N,)
    ids: list[str]
    matrix: NDArray[np.float16]  # (N, D)

    @property
    def last(self) -> int:
        return int(self.numbers[-1])


@dataclass(frozen=True)
class Coverage:
    """The records that an index holds: how many of its model up to which number, and the chain's hash there.

    That hash depends on every record before it, so an index whose coverage agrees was made from this very ledger.
    """

    records: int
    last: int
    head: str


NOTHING = Coverage(0, 0, "")


class ModelFeatures:
    """One model's features in a ledger."""

    def __init__(self, store: Store, model: str, width: int) -> None:
        self._store = store
        self.model = model
        self.width = width

    def pages(self, after: int = 0) -> Iterator[Page]:
        """The features of all records with a higher number than `after`, in the order of the chain."""
        while rows := self._store.rows(
            "SELECT seq, id, feature FROM record WHERE model = ? AND seq > ? ORDER BY seq LIMIT ?",
            self.model,
            after,
            PAGE,
        ):
            yield self._page(rows)
            after = rows[-1][0]

    def ids(self, numbers: Numbers) -> dict[int, str]:
        """The ids of those of the numbers that are records of this model."""
        return {row[0]: row[1] for row in self._chosen("seq, id", numbers)}

    def rescored(self, queries: NDArray[np.float32], hits: Sequence[Hits], count: int) -> list[Hits]:
        """The hits of unit queries (Q, D) with the cosines that the ledger's features have, best first.

        Numbers that are no records of this model are left out.
        """
        rows = sorted(self._chosen("seq, id, feature", unique_numbers(hits)))
        if not rows:
            return [hit.first(0) for hit in hits]
        page = self._page(rows)
        features = to_unit_rows(page.matrix, self.width)  # (N, D)
        rescored = []
        for query, hit in zip(queries, hits, strict=True):
            places = np.flatnonzero(np.isin(page.numbers, hit.numbers))
            rescored.append(Hits(page.numbers[places], features[places] @ query).first(count))
        return rescored

    def count(self, upto: int) -> int:
        (row,) = self._store.rows(
            "SELECT count(*) FROM record WHERE model = ? AND seq <= ?", self.model, upto
        )
        return int(row[0])

    def total(self) -> int:
        (row,) = self._store.rows("SELECT count(*) FROM record WHERE model = ?", self.model)
        return int(row[0])

    def coverage(self, upto: int) -> Coverage:
        """What an index covers that holds all records up to a number; of a number that is none, nothing."""
        rows = self._store.rows(f"{SELECT} WHERE seq = ?", upto)
        if not rows:
            return NOTHING
        return Coverage(self.count(upto), upto, from_row(rows[0]).record.hash.hex())

    def _chosen(self, columns: str, numbers: Numbers) -> list[tuple[int, str, bytes]]:
        wanted = [int(number) for number in numbers]
        chosen: list[tuple[int, str, bytes]] = []
        for start in range(0, len(wanted), ASKED_AT_ONCE):
            some = wanted[start : start + ASKED_AT_ONCE]
            marks = ", ".join("?" * len(some))
            query = f"SELECT {columns} FROM record WHERE model = ? AND seq IN ({marks})"
            chosen += self._store.rows(query, self.model, *some)
        return chosen

    def _page(self, rows: Sequence[tuple[int, str, bytes]]) -> Page:
        for _, record_id, feature in rows:
            if len(feature) != self.width * HALF.itemsize:
                raise DamagedRegistryError(f"record {record_id} was edited: its feature has another width")
        matrix = np.frombuffer(b"".join(row[2] for row in rows), HALF).reshape(len(rows), self.width)
        return Page(np.array([row[0] for row in rows], np.int64), [row[1] for row in rows], matrix)


def width_of(store: Store, model: str) -> int | None:
    """The width of a model's features, None before its first record."""
    rows = store.rows("SELECT feature FROM record WHERE model = ? ORDER BY seq LIMIT 1", model)
    return len(rows[0][0]) // HALF.itemsize if rows else None


def unique_numbers(hits: Sequence[Hits]) -> Numbers:
    return np.unique(np.concatenate([np.empty(0, np.int64), *(hit.numbers for hit in hits)]))
