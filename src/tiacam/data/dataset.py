"""What the loaders of published data sets give: examples in a fixed order, with labels or captions."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Example:
    """One picture: a file, or pixels (H, W, 3) where the data set has no files."""

    name: str
    picture: Path | NDArray[np.uint8]
    label: int | None = None  # into the data set's classes
    captions: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Dataset:
    """A published data set or one split of it."""

    name: str
    examples: tuple[Example, ...]
    classes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.examples)
