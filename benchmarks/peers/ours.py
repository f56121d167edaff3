"""TIACam as one of the systems that are compared: its features as scores, and its messages."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from benchmarks.peers.identifier import Pixels, Scores

from tiacam.evaluate.bench import Bench
from tiacam.image import load
from tiacam.locate import CENTRES, WHOLE
from tiacam.pipeline import look

VIEWS = (WHOLE, *CENTRES)


class Ours:
    """The best cosine over the views; what the product claims with it is another part of the table."""

    name = "TIACam"
    usual: float | None = None

    def __init__(self, bench: Bench) -> None:
        self._bench = bench

    def remember(self, _pictures: Sequence[Pixels]) -> None:
        """The bench has registered them."""
        self._bench.desk()

    def score(self, photo: Pixels) -> Scores:
        features = look(self._bench.model, [load(photo)], VIEWS)[0]  # (V, D)
        return np.asarray((features @ self._bench.features.T).max(axis=0), np.float64)

    @property
    def bytes_a_record(self) -> float:
        return self._bench.desk().bytes_a_record
