"""A picture of which a plain margin covers a part: bars beside a film, a panel, a picture moved out of its frame."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tiacam.align import WHOLE_BOX, find_content
from tiacam.image import Picture
from tiacam.locate import Quad
from tiacam.locate.rectify import area, rectify
from tiacam.watermark import Corners

WIDEST = 0.8  # of a side of the photo: what is left of it is at least a twenty-fifth
LEAST_COVERED = 0.1  # of the picture's place, that the margin must cover

Box = tuple[float, float, float, float]


@dataclass(frozen=True)
class Uncovered:
    """A place that reaches into a margin: what is hidden there is made up as the mirror image of what is seen."""

    place: Quad
    inside: Box  # of the margin, in fractions of the photo

    @property
    def name(self) -> str:
        return f"{self.place.name}, without margin"

    @property
    def smallest_side(self) -> float:
        return self.place.smallest_side

    def cut(self, picture: Picture, size: int) -> NDArray[np.uint8]:
        height, width = picture.pixels.shape[:2]
        left, top, right, bottom = np.round(np.array(self.inside) * (width, height, width, height)).astype(
            int
        )
        corners = self.place.in_pixels(width, height) - (left, top)
        return rectify(picture.pixels[top:bottom, left:right], corners, size)


def margin_over(picture: Picture, places: Sequence[Corners]) -> list[Box | None]:
    """For each place the box inside the photo's margin, if that covers enough of the place to be in the way."""
    box = find_content(picture.pixels, WIDEST) if places else WHOLE_BOX
    return [box if covered(place, box) >= LEAST_COVERED else None for place in places]


def covered(place: Corners, box: Box) -> float:
    """The share of a place within the photo that lies outside of the box."""
    within, seen = clipped(place, WHOLE_BOX), clipped(place, box)
    return 1 - seen / within if within else 0.0


def clipped(place: Corners, box: Box) -> float:
    """The area of the part of a convex quadrilateral that lies in an upright box."""
    left, top, right, bottom = box
    points = [np.array(point, np.float64) for point in place]
    for axis, limit, sign in ((0, left, 1.0), (0, right, -1.0), (1, top, 1.0), (1, bottom, -1.0)):
        kept: list[NDArray[np.float64]] = []
        for one, following in zip(points, [*points[1:], *points[:1]], strict=True):
            here, there = sign * (one[axis] - limit), sign * (following[axis] - limit)
            if here >= 0:
                kept.append(one)
            if here * there < 0:
                kept.append(one + (following - one) * here / (here - there))
        points = kept
        if not points:
            return 0.0
    return area(np.array(points))
