"""An approximate index for millions of records: usearch's graph (HNSW) over int8 features, mapped from its file."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from tiacam.errors import RegistryUnavailableError
from tiacam.registry.index import Hits, Numbers, to_unit_rows

CONNECTIVITY = 16
BUILD_BREADTH = 128  # candidates kept while a record is added
SEARCH_BREADTH = 256  # and while a query walks the graph


class UsearchIndex:
    """Neighbours by walking a graph: fast at any size, at the price of a few missed and a slow build."""

    kind = "usearch"
    settings = f"int8, connectivity {CONNECTIVITY}, breadth {BUILD_BREADTH}"

    def __init__(self, width: int, graph: Any = None) -> None:
        self._width = width
        self._graph = graph if graph is not None else make_graph(width)

    @classmethod
    def open(cls, path: Path, width: int, records: int) -> Self:
        """The index in a file that `save` wrote, mapped into memory."""
        graph = make_graph(width)
        graph.view(str(path))
        if len(graph) != records:
            raise ValueError(f"it holds {len(graph)} records, wanted {records}")
        return cls(width, graph)

    def __len__(self) -> int:
        return len(self._graph)

    def copy(self) -> UsearchIndex:
        """One that can be added to."""
        return UsearchIndex(self._width, self._graph.copy())

    def add(self, numbers: Numbers, features: NDArray[np.generic]) -> None:
        self._graph.add(numbers.astype(np.uint64), to_unit_rows(features, self._width))

    def save(self, path: Path) -> None:
        self._graph.save(str(path))

    def search(self, queries: NDArray[np.float32], count: int) -> list[Hits]:
        found = self._graph.search(queries, count)
        if len(queries) == 1:
            return [Hits(found.keys.astype(np.int64), 1 - found.distances.astype(np.float32))]
        return [
            Hits(keys[:n].astype(np.int64), 1 - distances[:n].astype(np.float32))
            for keys, distances, n in zip(found.keys, found.distances, found.counts, strict=True)
        ]


def make_graph(width: int) -> Any:
    try:
        from usearch.index import Index
    except ImportError as error:
        raise RegistryUnavailableError(
            f"the usearch index needs usearch ({error}): pip install 'tiacam[usearch]'"
        ) from error
    return Index(
        ndim=width,
        metric="cos",
        dtype="i8",
        connectivity=CONNECTIVITY,
        expansion_add=BUILD_BREADTH,
        expansion_search=SEARCH_BREADTH,
    )
