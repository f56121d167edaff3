"""Finding the nearest features inside PostgreSQL, over pgvector's HNSW index of each model."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tiacam.errors import RegistryError
from tiacam.registry.index import Neighbour, to_unit_rows
from tiacam.registry.postgres.database import PostgresDatabase
from tiacam.registry.postgres.halfvec import Halfvec
from tiacam.registry.registration import HALF
from tiacam.registry.search import FeatureTable
from tiacam.registry.shelves import IndexState

PAGE = 1024
# Candidates that the index keeps while it searches (ef_search), pgvector's most: with fewer, photos that are hardly
# alike to their picture miss it (results/pgvector.json).
BREADTH = 1000


class VectorSearch:
    """The search of a registry on a server; nothing is kept in this process."""

    def __init__(self, database: PostgresDatabase) -> None:
        self._database = database

    def find(self, queries: ArrayLike, count: int, model: str) -> list[list[Neighbour]]:
        if count < 1:
            raise RegistryError(f"count must be at least 1, got {count}")
        width = self.width(model)
        if width is None:
            return [[] for _ in np.asarray(queries)]
        unit = to_unit_rows(queries, width).astype(HALF)  # (Q, D)
        return self._database.attempt(lambda _: self._nearest(unit, count, model, width))

    def table(self, model: str) -> FeatureTable:
        ids: list[str] = []
        features: list[bytes] = []
        seen = 0
        while page := self._database.rows(
            f"SELECT seq, id, feature FROM record WHERE model = ? AND seq > ? ORDER BY seq LIMIT {PAGE}",
            model,
            seen,
        ):
            ids.extend(row[1] for row in page)
            features.extend(row[2] for row in page)
            seen = page[-1][0]
        width = len(features[0]) // HALF.itemsize if features else 0
        matrix = np.frombuffer(b"".join(features), HALF).reshape(len(ids), width)  # (N, D)
        return FeatureTable(tuple(ids), matrix)

    def width(self, model: str) -> int | None:
        """The width of the model's features, None before its first record."""
        rows = self._database.rows(
            "SELECT vector_dims(feature) FROM record WHERE model = ? ORDER BY seq LIMIT 1", model
        )
        return int(rows[0][0]) if rows else None

    def follow(self, models: Iterable[str]) -> None:
        """Nothing to do: a record and its vector are stored in one transaction."""

    def state(self, model: str) -> IndexState | None:
        (row,) = self._database.rows("SELECT count(*) FROM record WHERE model = ?", model)
        return IndexState("pgvector", self._database.name, int(row[0]), 0) if row[0] else None

    def close(self) -> None:
        """Nothing to do: the connections are the database's."""

    def _nearest(
        self, unit: NDArray[np.float16], count: int, model: str, width: int
    ) -> list[list[Neighbour]]:
        distance = f"feature::halfvec({width}) <=> ?"
        query = f"SELECT seq, id, {distance} FROM record WHERE model = ? ORDER BY {distance} LIMIT ?"
        with self._database.settings(**settings_for(count)) as fetch:
            found = []
            for row in unit:
                vector = Halfvec(row.tobytes())
                # The older of two equal records comes first.
                rows = sorted(fetch(query, (vector, model, vector, count)), key=lambda row: (row[2], row[0]))
                found.append([Neighbour(record_id, 1.0 - float(far)) for _, record_id, far in rows])
            return found


def settings_for(count: int) -> dict[str, int | str]:
    """How to search: the index finds no more than it keeps, so beyond that every row is looked at."""
    # With the model's name as a parameter, a generic plan could not use the model's own index.
    wanted: dict[str, int | str] = {"hnsw__ef_search": BREADTH, "plan_cache_mode": "force_custom_plan"}
    return wanted | ({"enable_indexscan": "off"} if count > BREADTH else {})
