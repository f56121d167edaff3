"""Occasions: what goes together when one person photographs things in one room with one camera.

Light, pose, desk and camera are not independent: whoever sits at a warm lamp does so for all photos of that evening.
An occasion names its camera and the part of a strength's ranges that it draws from, 0 their low and 1 their high end,
so that a strength means the same whatever the occasion.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tiacam.capture.kinds import Kind
from tiacam.capture.spans import WHOLE, Span, pick


@dataclass(frozen=True)
class Occasion:
    """Parts of ranges, and the luck (of 0 to 1) that what has a probability is decided with."""

    phone: str  # a key of phones.PHONES
    weight: float  # how often it is met before prints
    before_screens: float  # and before displays, which mostly newer cameras photograph
    area: Span = WHOLE
    overhang: Span = WHOLE
    wobble: Span = WHOLE
    turned: Span = WHOLE  # luck
    upright: Span = WHOLE  # luck of the camera being held upright
    lean: float = 0.0  # degrees that a picture on its side is turned further
    tilt: Span = WHOLE
    aim: float = 1.0  # factor on how far the picture is off the middle
    warmth: Span = WHOLE
    slope: Span = WHOLE
    lamp: Span = WHOLE  # luck of a lamp being mirrored
    lamps: Span = WHOLE
    size: float = 1.0  # factor on how large the mirrored lamps are
    power: Span = WHOLE
    intruder: float = 0.0  # how often something bright is close to the lens
    desk_gloss: Span = WHOLE
    sheen: Span = WHOLE
    patches: float = 0.7  # how unevenly walls and ceiling are mirrored
    veil: Span = WHOLE
    gloss: Span = WHOLE
    case: Span = WHOLE  # luck of the print being in a case
    margin: Span = WHOLE
    clutter: Span = WHOLE
    photo: Span = WHOLE  # luck of a photo filling the background
    desks: tuple[float, ...] = (8, 3, 0.3, 0.3, 0.3, 1.2, 0, 0)  # weights, in the order of textures.DESKS


OCCASIONS = {
    "bright office": Occasion(
        phone="compact",
        weight=1.0,
        before_screens=0.4,
        area=Span(0.42, 1.0),
        wobble=Span(0.05, 0.25),
        tilt=Span(0.0, 0.36),
        aim=0.65,
        warmth=Span(0.2, 0.46),
        lamp=Span(0.5, 1.0),
        power=Span(0.02, 0.16),
        clutter=Span(0.1, 0.6),
        desks=(6, 2, 0, 0, 0, 0, 2, 0),
        overhang=Span(0.3, 1.0),
        slope=Span(0.0, 0.36),
        case=Span(0.0, 0.9),
        photo=Span(0.1, 1.0),
        sheen=Span(0.41, 0.52),
        veil=Span(0.11, 1.0),
        gloss=Span(0.0, 0.64),
        desk_gloss=Span(0.0, 0.66),
    ),
    "desk full of papers": Occasion(
        phone="smartphone",
        weight=1.0,
        before_screens=0.4,
        area=Span(0.38, 0.84),
        wobble=Span(0.0, 0.4),
        turned=Span(0.3, 1.0),
        upright=Span(0.25, 1.0),
        tilt=Span(0.25, 0.6),
        warmth=Span(0.06, 0.22),
        lamp=Span(0.5, 1.0),
        power=Span(0.0, 0.05),
        clutter=Span(0.35, 0.9),
        desks=(0, 7, 0, 0, 0, 2, 0, 0),
        aim=0.75,
        case=Span(0.0, 0.9),
        photo=Span(0.1, 1.0),
        slope=Span(0.18, 0.38),
        sheen=Span(0.68, 0.84),
        veil=Span(0.05, 0.3),
        gloss=Span(0.24, 0.42),
        desk_gloss=Span(0.453, 0.547),
    ),
    "under ceiling lamps": Occasion(
        phone="feature phone",
        weight=1.0,
        before_screens=0.4,
        area=Span(0.12, 0.6),
        wobble=Span(0.4, 0.9),
        upright=Span(0.25, 1.0),
        tilt=Span(0.15, 0.95),
        warmth=Span(0.0, 0.15),
        lamp=Span(0.0, 0.5),
        power=Span(0.9, 1.0),
        clutter=Span(0.5, 1.0),
        desks=(0, 1, 0, 0, 0, 0, 8, 0),
        lamps=Span(0.7, 1.0),
        desk_gloss=Span(0.693, 0.947),
        slope=Span(0.54, 0.74),
        case=Span(0.0, 0.9),
        photo=Span(0.1, 1.0),
        sheen=Span(0.6, 0.77),
        gloss=Span(0.46, 0.62),
        size=0.79,
        veil=Span(0.0, 0.16),
        patches=0.31,
    ),
    "evening lamp": Occasion(
        phone="vivid phone",
        weight=1.0,
        before_screens=0.4,
        area=Span(0.0, 0.31),
        wobble=Span(0.5, 1.0),
        turned=Span(0.0, 0.43),
        tilt=Span(0.1, 1.0),
        aim=1.4,
        warmth=Span(0.44, 0.52),
        lamp=Span(0.0, 0.6),
        power=Span(0.124, 0.273),
        clutter=Span(0.3, 0.95),
        desks=(0, 0, 0, 0, 0, 0, 0, 1),
        lamps=Span(0.2, 1.0),
        desk_gloss=Span(0.36, 0.48),
        slope=Span(0.93, 1.0),
        case=Span(0.0, 0.9),
        photo=Span(0.1, 1.0),
        lean=15.0,
        gloss=Span(0.52, 0.71),
        sheen=Span(0.13, 0.23),
        veil=Span(0.8, 1.0),
        intruder=0.6,
    ),
    "anywhere": Occasion(phone="recent phone", weight=0.1, before_screens=3.0, desk_gloss=Span(0.0, 0.67)),
}


def draw_occasion(kind: Kind, rng: np.random.Generator) -> Occasion:
    occasions = tuple(OCCASIONS.values())
    return pick(rng, occasions, [o.before_screens if kind is Kind.SCREEN else o.weight for o in occasions])
