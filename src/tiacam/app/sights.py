"""Which parts of a photo are looked at: the frame, what the locator finds in it, and the middle."""

from __future__ import annotations

from collections.abc import Sequence

from tiacam.align import WHOLE_BOX, find_content
from tiacam.image import Picture
from tiacam.locate import CENTRES, MOST_QUADS, WHOLE, Locator, Quad, View, same_place
from tiacam.pipeline import Sight
from tiacam.watermark import Corners

VIEWS = (WHOLE, *CENTRES)  # that need no locator
LEAST_CONFIDENCE = (
    0.2  # of the locator: a look at nothing costs little, a picture that is not looked at is lost
)
WITHIN = 0.03  # of the photo's sides, by which a picture that is all in it may seem to reach out of it
SURE = 0.5  # confidence from which on a located picture is looked at before the frame
MOST_LOCATED = 8  # quadrilaterals, each turned as it may be held
ENTERED = 2  # located quadrilaterals that are searched for pictures inside
SEEN_ALREADY = 0.1  # of its sides, by which the corners of an inner one differ if it is the located one again
# Quadrilaterals, and those turned as they may be held, where every picture is wanted.
MOST_QUADS_OF_ALL, MOST_OF_ALL = 12, 24
MOST_INNER = 4  # of those, each turned as it may be held
# Every photo counts as looked at so often, whether or not all of it was needed: that depends on how the first looks
# came out. The frame with and without its margin, the middle twice, the one located in haste, those located with care,
# the inner ones, and those aligned by landmarks: in the hastily located part in haste and with care, in the carefully
# located one with care and with its contrast evened, in the inner part and in the whole photo, once with its glare
# taken out, and once with what a margin covers filled.
LOOKS = 1 + len(VIEWS) + 1 + MOST_LOCATED + MOST_INNER + 6 + 2
LOOKS_FOR_ALL = LOOKS - MOST_LOCATED + MOST_OF_ALL
SHORTER_SIDE = (
    640  # photos are decoded at this size: a picture in a third of the frame then has pixels enough
)


def frame(picture: Picture) -> View:
    """The photo without a margin of one colour, which is how pictures are registered too."""
    box = find_content(picture.pixels)
    return WHOLE if box == WHOLE_BOX else View("inside of the margin", box)


def find_quads(pictures: Sequence[Picture], locator: Locator, *, limit: int = MOST_QUADS) -> list[list[Quad]]:
    """The places of displayed pictures in each of some photos, the surest first."""
    return locator.locate_many(pictures, limit=limit, least_confidence=LEAST_CONFIDENCE)


def find_single(pictures: Sequence[Picture], locator: Locator) -> list[Quad | None]:
    """The one picture in each of some photos that the locator is sure of in haste, if there is one, and all of it.

    One that reaches out of the photo may lie beside the one that is meant.
    """
    found = map(sure, locator.locate_many(pictures, least_confidence=LEAST_CONFIDENCE, hasty=True))
    return [quads[0] if len(quads) == 1 and quads[0].reach <= WITHIN else None for quads in found]


def first_sights(picture: Picture, quads: Sequence[Quad], *, most: int = MOST_LOCATED) -> list[Sight]:
    """The likeliest place: the picture that the locator is sure of, as it is most likely held, or else the frame.

    Several such pictures are all looked at in every turn, compared with each other, and the clearest is the answer.
    """
    likely = sure(quads)
    if len(likely) > 1:
        return [*turned(likely)[:most]]
    return [*likely] or [frame(picture)]


def sure(quads: Sequence[Quad]) -> list[Quad]:
    """Those that the locator is sure of."""
    return [quad for quad in quads if quad.confidence >= SURE]


def moved(quads: Sequence[Quad], before: Sequence[Quad]) -> bool:
    """Whether the pictures that the locator is sure of are others than before, or elsewhere."""
    now, then = sure(quads), sure(before)
    return len(now) != len(then) or not all(
        any(same_place(quad, one, SEEN_ALREADY) for one in then) for quad in now
    )


def further_sights(
    picture: Picture, quads: Sequence[Quad], begun: Sequence[Sight], *, near: bool, most: int = MOST_LOCATED
) -> list[list[Sight]]:
    """What to look at when what was `begun` with was not enough, in steps: all that was located, and the frame.

    What was located is turned as it may be held, and a place that was seen before is looked at once more, only where
    something is `near` a first look: a picture that is held otherwise is not far from its record. The middle is a guess
    for photos in which nothing was located for sure; otherwise the landmarks guess better.
    """
    seen = [sight for sight in begun if isinstance(sight, Quad)]
    rest = [quad for quad in (turned(quads) if near else quads) if quad not in seen]
    if not near:
        rest = [quad for quad in rest if not any(same_place(quad, one, SEEN_ALREADY) for one in seen)]
    located: list[Sight] = [*rest[: most - sum(quad in seen for quad in quads)]]
    first = frame(picture)
    if seen:
        return [[first, *located]]
    guesses: list[Sight] = [*([WHOLE] if first not in (WHOLE, *begun) else []), *CENTRES]
    return [step for step in (located, guesses) if step]


def inner_sights(picture: Picture, quads: Sequence[Quad], locator: Locator) -> list[Quad]:
    """What to look at when even that was not enough: pictures within the located ones, but not those once more."""
    entered = quads[:ENTERED]
    inner = [
        quad
        for quad in locator.look_inside(picture, entered, least_confidence=LEAST_CONFIDENCE)
        if not any(same_place(quad, outer, SEEN_ALREADY) for outer in entered)
    ]
    return turned(inner)[:MOST_INNER]


def all_sights(picture: Picture, locator: Locator) -> list[Sight]:
    """Everything that is looked at in a photo before it is aligned with a record."""
    (quads,) = find_quads([picture], locator)
    first = first_sights(picture, quads)
    further = [sight for step in further_sights(picture, quads, first, near=True) for sight in step]
    return [*first, *further, *inner_sights(picture, quads, locator)]


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
