"""An approximate index for many millions of records: usearch's graph (HNSW) over signs, mapped from its file."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from tiacam.errors import RegistryUnavailableError
from tiacam.registry.index import Hits, Numbers, to_unit_rows
from tiacam.registry.index_signs import WORD, to_sign_words

CONNECTIVITY = 32
BUILD_BREADTH = 128  # candidates kept while a record is added
SEARCH_BREADTH = 512  # and while a query walks the graph


class UsearchIndex:
    """Neighbours by walking a graph: hardly slower as it grows, at the price of a slow build and a few missed."""

    kind = "usearch"
    settings = f"signs, connectivity {CONNECTIVITY}, breadth {BUILD_BREADTH}"

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
        self._graph.add(numbers.astype(np.uint64), to_bytes(to_unit_rows(features, self._width)))

    def save(self, path: Path) -> None:
        self._graph.save(str(path))

    def search(self, queries: NDArray[np.float32], count: int) -> list[Hits]:
        found = self._graph.search(to_bytes(queries), count)
        keys, distances = np.atleast_2d(found.keys), np.atleast_2d(found.distances)  # (Q, K)
        counts = np.atleast_1d(getattr(found, "counts", len(found.keys)))  # of one query there is no list
        cosines = np.cos(distances * np.float32(np.pi / self._width))
        return [
            Hits(row[:size].astype(np.int64), near[:size].astype(np.float32))
            for row, near, size in zip(keys, cosines, counts, strict=True)
        ]


def to_bytes(features: NDArray[np.float32]) -> NDArray[np.uint8]:
    return to_sign_words(features).view(np.uint8)  # (N, W * 8)


def make_graph(width: int) -> Any:
    try:
        from usearch.index import Index
    except ImportError as error:
        raise RegistryUnavailableError(
            f"the usearch index needs usearch ({error}): pip install 'tiacam[usearch]'"
        ) from error
    return Index(
        ndim=-(-width // WORD) * WORD,
        metric="hamming",
        dtype="b1",
        connectivity=CONNECTIVITY,
        expansion_add=BUILD_BREADTH,
        expansion_search=SEARCH_BREADTH,
    )
