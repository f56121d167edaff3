"""How people hold the camera: the range of poses at each strength."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from tiacam.capture.geometry import Pose
from tiacam.capture.kinds import Kind, Strength
from tiacam.capture.occasions import Occasion
from tiacam.capture.spans import Span, happens, pick


@dataclass(frozen=True)
class PoseRanges:
    """What poses there are at one strength; degrees."""

    area: Span
    overhang: Span
    wobble: Span  # deviation of the roll around whichever way the picture is turned
    turned: float  # how often the picture lies on its side or upside down
    tilt: Span
    shift: float  # deviation of the centre
    barrel: Span
    curl: Span


POSES = {
    Strength.MILD: PoseRanges(
        area=Span(0.55, 0.85),
        overhang=Span(0.0, 0.0),
        wobble=Span(1, 3),
        turned=0.0,
        tilt=Span(0, 8),
        shift=0.01,
        barrel=Span(0, 0.01),
        curl=Span(0, 0.1),
    ),
    Strength.TYPICAL: PoseRanges(
        area=Span(0.15, 0.75),
        overhang=Span(-0.25, 0.11),
        wobble=Span(1, 20),
        turned=0.28,
        tilt=Span(2, 36),
        shift=0.05,
        barrel=Span(0, 0.04),
        curl=Span(-0.2, 0.3),
    ),
    Strength.SEVERE: PoseRanges(
        area=Span(0.06, 0.30),
        overhang=Span(0.0, 0.3),
        wobble=Span(15, 40),
        turned=0.45,
        tilt=Span(25, 52),
        shift=0.12,
        barrel=Span(0.02, 0.10),
        curl=Span(-0.6, 0.8),
    ),
}


def draw_pose(kind: Kind, strength: Strength, occasion: Occasion, rng: np.random.Generator) -> Pose:
    ranges = POSES[strength]
    turn = pick(rng, (90.0, -90.0, 180.0), (5, 4, 1))
    turned = happens(rng, ranges.turned * (0.3 if kind is Kind.SCREEN else 1.0), occasion.turned)
    wobble = ranges.wobble.part(occasion.wobble).draw(rng) * rng.standard_normal()
    return Pose(
        area=ranges.area.part(occasion.area).draw(rng),
        overhang=max(0.0, ranges.overhang.part(occasion.overhang).draw(rng)),
        roll=math.radians((turn + math.copysign(occasion.lean, turn)) * turned + wobble),
        tilt=math.radians(ranges.tilt.part(occasion.tilt).draw(rng)),
        azimuth=Span(0, 2 * math.pi).draw(rng),
        shift_x=occasion.aim * ranges.shift * float(rng.standard_normal()),
        shift_y=occasion.aim * ranges.shift * float(rng.standard_normal()),
        focal=Span(0.7, 1.1).draw(rng),
        barrel=ranges.barrel.draw(rng),
        curl=ranges.curl.draw(rng) * (1.0 if kind is Kind.PRINT else 0.0),
        curl_across=happens(rng, 0.5),
    )
