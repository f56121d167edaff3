"""A quadrilateral in a photo that may show a registered picture."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tiacam.image import Picture
from tiacam.locate.rectify import UNIT_SQUARE, Corners, apply_homography, area, homography, rectify

Point = tuple[float, float]
TURN_NAMES = ("", ", turned 90°", ", turned 180°", ", turned 270°")


@dataclass(frozen=True)
class Quad:
    """Where a picture is: corners in fractions of the photo, top left first as the picture itself is held.

    `turns[k]` is the probability that the picture's own top left is `corners[k]`; the corners are given in the most
    likely order. Corners may lie outside of the photo. Like a `View` it has a name and can be cut.
    """

    corners: tuple[Point, Point, Point, Point]
    confidence: float  # between 0 and 1, that a displayed picture is there
    turns: tuple[float, float, float, float] = (0.25, 0.25, 0.25, 0.25)
    quarters: int = 0  # by how many corners the order was turned away from the most likely one
    inner: bool = False  # found inside of another one, as a picture on a page on a screen

    @property
    def name(self) -> str:
        return f"located{' inside' if self.inner else ''}{TURN_NAMES[self.quarters % 4]}"

    @property
    def smallest_side(self) -> float:
        """A square of the same area would have sides this long, in fractions of the photo."""
        return max(1e-3, math.sqrt(area(np.array(self.corners))))

    @property
    def reach(self) -> float:
        """How far it reaches out of the photo, in sides of the photo; negative where it keeps away from the edges."""
        return max(max(-x, x - 1, -y, y - 1) for x, y in self.corners)

    def in_pixels(self, width: int, height: int) -> Corners:
        """The corners (4, 2) in a photo of this size."""
        return np.array(self.corners, np.float64) * (width, height)

    def cut(self, picture: Picture, size: int) -> NDArray[np.uint8]:
        """What is inside, pulled straight, as the square that a model takes."""
        height, width = picture.pixels.shape[:2]
        return rectify(picture.pixels, self.in_pixels(width, height), size)

    def turned(self, quarters: int) -> Quad:
        """The same place read with another corner first."""
        k = quarters % 4
        a, b, c, d = (*self.corners[k:], *self.corners[:k])
        p, q, r, s = (*self.turns[k:], *self.turns[:k])
        return replace(self, corners=(a, b, c, d), turns=(p, q, r, s), quarters=(self.quarters + k) % 4)

    def likely_turns(self, least: float = 0.1) -> list[Quad]:
        """The readings whose orientation has at least this probability, the likeliest first."""
        order = sorted(range(4), key=lambda k: -self.turns[k])
        return [self.turned(k) for k in order if k == order[0] or self.turns[k] >= least]

    def widened(self, left: float, top: float, right: float, bottom: float) -> Quad:
        """With margins around, in sides of the picture, as it lies in its own plane; negative ones cut off."""
        plane = np.array([(-left, -top), (1 + right, -top), (1 + right, 1 + bottom), (-left, 1 + bottom)])
        matrix = homography(UNIT_SQUARE, np.array(self.corners, np.float64))
        return replace(self, corners=to_points(apply_homography(matrix, plane)))


def to_points(corners: ArrayLike) -> tuple[Point, Point, Point, Point]:
    a, b, c, d = ((float(x), float(y)) for x, y in np.asarray(corners))
    return a, b, c, d
