"""How people hold the camera: the range of poses at each strength."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from tiacam.capture.geometry import Pose
from tiacam.capture.kinds import Kind, Strength
from tiacam.capture.spans import Span, happens, pick


@dataclass(frozen=True)
class PoseRanges:
    """What poses there are at one strength; degrees."""

    area: Span
    wobble: Span  # deviation of the roll around whichever way the picture is turned
    turned: float  # how often the picture lies on its side or upside down
    tilt: Span
    shift: float  # deviation of the centre
    barrel: Span
    curl: Span


POSES = {
    Strength.MILD: PoseRanges(Span(0.55, 0.85), Span(1, 3), 0.0, Span(0, 8), 0.01, Span(0, 0.01), Span(0, 0.1)),
    Strength.TYPICAL: PoseRanges(Span(0.17, 0.60), Span(1, 20), 0.28, Span(2, 28), 0.043, Span(0, 0.04), Span(-0.2, 0.3)),
    Strength.SEVERE: PoseRanges(Span(0.06, 0.30), Span(15, 40), 0.45, Span(25, 52), 0.12, Span(0.02, 0.10), Span(-0.6, 0.8)),
}


def draw_pose(kind: Kind, strength: Strength, rng: np.random.Generator) -> Pose:
    ranges = POSES[strength]
    turn = pick(rng, (90.0, -90.0, 180.0), (5, 4, 1))
    turned = happens(rng, ranges.turned * (0.3 if kind is Kind.SCREEN else 1.0))
    return Pose(
        area=ranges.area.draw(rng),
        roll=math.radians(turn * turned + ranges.wobble.draw(rng) * rng.standard_normal()),
        tilt=math.radians(ranges.tilt.draw(rng)),
        azimuth=Span(0, 2 * math.pi).draw(rng),
        shift_x=ranges.shift * float(rng.standard_normal()),
        shift_y=ranges.shift * float(rng.standard_normal()),
        focal=Span(0.7, 1.1).draw(rng),
        barrel=ranges.barrel.draw(rng),
        curl=ranges.curl.draw(rng) * (1.0 if kind is Kind.PRINT else 0.0),
        curl_across=happens(rng, 0.5),
    )
