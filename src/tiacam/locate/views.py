"""Views: the parts of a photo from which features are taken.

The registered picture may fill the photo or be somewhere in it. Each view is one more guess, and one more trial in
the p-value.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tiacam.image import Picture, square


@dataclass(frozen=True)
class View:
    """A box in fractions of the photo: left, top, right, bottom."""

    name: str
    box: tuple[float, float, float, float]

    @property
    def smallest_side(self) -> float:
        left, top, right, bottom = self.box
        return min(right - left, bottom - top)

    def cut(self, picture: Picture, size: int) -> NDArray[np.uint8]:
        """The view's pixels, squashed to the square that a model takes."""
        if self.box == WHOLE.box:
            return picture.square(size)
        height, width = picture.pixels.shape[:2]
        left, top, right, bottom = self.box
        return square(picture.pixels, size, (left * width, top * height, right * width, bottom * height))


def centre(share: float) -> View:
    """The middle of the photo, `share` of each side long."""
    margin = (1 - share) / 2
    return View(f"centre {share:.0%}", (margin, margin, 1 - margin, 1 - margin))


WHOLE = View("whole", (0.0, 0.0, 1.0, 1.0))
CENTRES = (centre(0.8), centre(0.6))
