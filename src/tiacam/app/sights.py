"""Which parts of a photo are looked at: the frame, what the locator finds in it, and the middle."""

from __future__ import annotations

from collections.abc import Sequence

from tiacam.align import WHOLE_BOX, find_content
from tiacam.image import Picture
from tiacam.locate import CENTRES, WHOLE, Locator, Quad, View
from tiacam.pipeline import Sight
from tiacam.watermark import Corners

VIEWS = (WHOLE, *CENTRES)  # that need no locator
MOST_LOCATED = 8  # quadrilaterals, each turned as it may be held
# Every photo counts as looked at so often, whether or not all of it was needed: that depends on how the first looks
# came out. The frame with and without its margin, the middle twice, the located ones, and the aligned one.
LOOKS = 1 + len(VIEWS) + MOST_LOCATED + 1
SHORTER_SIDE = (
    640  # photos are decoded at this size: a picture in a third of the frame then has pixels enough
)


def frame(picture: Picture) -> View:
    """The photo without a margin of one colour, which is how pictures are registered too."""
    box = find_content(picture.pixels)
    return WHOLE if box == WHOLE_BOX else View("inside of the margin", box)


def further_sights(picture: Picture, first: View, locator: Locator) -> list[Sight]:
    """What to look at when the `first` view, the frame, was not enough: located pictures, then the middle."""
    located = turned(locator.locate(picture))[:MOST_LOCATED]
    plain = [WHOLE] if first != WHOLE else []
    return [*located, *plain, *CENTRES]


def all_sights(picture: Picture, locator: Locator) -> list[Sight]:
    """Everything that is looked at in a photo before it is aligned with a record."""
    first = frame(picture)
    return [first, *further_sights(picture, first, locator)]


def turned(quads: Sequence[Quad]) -> list[Quad]:
    """The quadrilaterals as they may be held: the likeliest turn of each first."""
    turns = [quad.likely_turns() for quad in quads]
    deepest = max(map(len, turns), default=0)
    return [options[depth] for depth in range(deepest) for options in turns if depth < len(options)]


def corners_of(sight: Sight) -> Corners:
    """Where a sight is in the photo."""
    if isinstance(sight, Quad):
        return sight.corners
    assert isinstance(sight, View)
    left, top, right, bottom = sight.box
    return (left, top), (right, top), (right, bottom), (left, bottom)
