"""Which parts of a photo are looked at: the frame, what the locator finds in it, and the middle."""

from __future__ import annotations

from collections.abc import Sequence

from tiacam.align import WHOLE_BOX, find_content
from tiacam.image import Picture
from tiacam.locate import CENTRES, WHOLE, Locator, Quad, View
from tiacam.pipeline import Sight
from tiacam.watermark import Corners

VIEWS = (WHOLE, *CENTRES)  # that need no locator
LEAST_CONFIDENCE = (
    0.2  # of the locator: a look at nothing costs little, a picture that is not looked at is lost
)
MOST_LOCATED = 8  # quadrilaterals, each turned as it may be held
ENTERED = 2  # located quadrilaterals that are searched for pictures inside
MOST_INNER = 4  # of those, each turned as it may be held
# Every photo counts as looked at so often, whether or not all of it was needed: that depends on how the first looks
# came out. The frame with and without its margin, the middle twice, the located ones, the aligned one, the inner ones.
LOOKS = 1 + len(VIEWS) + MOST_LOCATED + 1 + MOST_INNER
SHORTER_SIDE = (
    640  # photos are decoded at this size: a picture in a third of the frame then has pixels enough
)


def frame(picture: Picture) -> View:
    """The photo without a margin of one colour, which is how pictures are registered too."""
    box = find_content(picture.pixels)
    return WHOLE if box == WHOLE_BOX else View("inside of the margin", box)


def find_quads(picture: Picture, locator: Locator) -> list[Quad]:
    """The places of displayed pictures, the surest first."""
    return locator.locate(picture, least_confidence=LEAST_CONFIDENCE)


def further_sights(first: View, quads: Sequence[Quad]) -> list[Sight]:
    """What to look at when the `first` view, the frame, was not enough: located pictures, then the middle."""
    plain = [WHOLE] if first != WHOLE else []
    return [*turned(quads)[:MOST_LOCATED], *plain, *CENTRES]


def inner_sights(picture: Picture, quads: Sequence[Quad], locator: Locator) -> list[Sight]:
    """What to look at when even that was not enough: pictures within the located ones."""
    inner = locator.look_inside(picture, quads[:ENTERED], least_confidence=LEAST_CONFIDENCE)
    return list(turned(inner)[:MOST_INNER])


def all_sights(picture: Picture, locator: Locator) -> list[Sight]:
    """Everything that is looked at in a photo before it is aligned with a record."""
    first, quads = frame(picture), find_quads(picture, locator)
    return [first, *further_sights(first, quads), *inner_sights(picture, quads, locator)]


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
