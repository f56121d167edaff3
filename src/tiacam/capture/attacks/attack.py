"""What an attack is: a fixed, named change of a picture, the same for the same seed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

import numpy as np

from tiacam.capture.kinds import Pixels, check_picture

Operation: TypeAlias = Callable[[Pixels, np.random.Generator], Pixels]


class Group(StrEnum):
    """The table that an attack belongs to."""

    DIGITAL = "digital"  # the paper's supplement S4, first table
    GEOMETRIC = "geometric"  # S4, second table
    DISTORTION = "distortion"  # Table 1
    OCCLUSION = "occlusion"  # S8
    FIELD = "field"  # what others report and the paper does not
    COMBINED = "combined"


@dataclass(frozen=True)
class Attack:
    """A named change. `paper` is the row of the paper that it stands for, where there is one."""

    name: str
    group: Group
    effect: str
    operation: Operation
    paper: str | None = None

    def apply(self, picture: Pixels, seed: int = 0) -> Pixels:
        """The changed picture (H', W', 3); most attacks are fixed, the others draw from the seed."""
        rng = np.random.default_rng([seed, *self.name.encode()])
        return self.operation(check_picture(picture), rng)
