"""TIACam as one of the systems that are compared: its features as scores, and its messages."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from benchmarks.peers.identifier import Pixels, Scores

from tiacam.evaluate.bench import Bench


class Ours:
    """The best cosine of the whole photo and the pictures located in it; messages are another part of the table."""

    name = "TIACam"
    usual: float | None = None

    def __init__(self, bench: Bench) -> None:
        self._bench = bench

    def remember(self, _pictures: Sequence[Pixels]) -> None:
        """The bench registers them."""
        self._bench.desk()
        self._bench.forget()  # what is timed must not be remembered

    def score(self, photo: Pixels) -> Scores:
        return np.asarray(self._bench.score_located([photo])[0], np.float64)

    @property
    def bytes_a_record(self) -> float:
        return self._bench.desk().bytes_a_record
