"""Photos that are mirror images, as front cameras, projectors seen from behind and mirrors make them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tiacam.image import Picture
from tiacam.watermark import Verdict


def mirrored(picture: Picture) -> Picture:
    """The same, left and right exchanged."""
    pixels = np.ascontiguousarray(picture.pixels[:, ::-1])
    pixels.flags.writeable = False
    return replace(picture, pixels=pixels, _squares={})


def as_taken(verdict: Verdict) -> Verdict:
    """What was found in the mirror image, with its corners where they are in the photo itself."""
    if verdict.corners is None:
        return verdict
    one, two, three, four = ((1 - x, y) for x, y in verdict.corners)
    return replace(verdict, corners=(one, two, three, four))
