"""What every identifying system must do: remember pictures, and score a photo against all of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Pixels = NDArray[np.uint8]  # (H, W, 3) RGB
Scores = NDArray[np.float64]  # (R,) larger is more alike


class Identifier(Protocol):
    """A system that says which of the remembered pictures a photo shows."""

    name: str
    usual: (
        float | None
    )  # the score from which its authors or users accept a match, where there is such a number

    def remember(self, pictures: Sequence[Pixels]) -> None: ...

    def score(self, photo: Pixels) -> Scores: ...

    @property
    def bytes_a_record(self) -> float: ...
