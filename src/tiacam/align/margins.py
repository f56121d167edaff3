"""Margins: the plain border around a picture, as shops put around what they show. A photo of the thing has none.

So the part inside the border is what is registered, and what is read.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from tiacam.image import shrink

SAMPLED = 128  # the picture is looked at in this size
TOLERANCE = 10  # grey levels by which a margin may vary: compression and shadows
SPECKS = 0.02  # of a line that may differ: dust, a thin shadow
LARGEST = 0.45  # of a side: with more, the rest would be hardly a picture
LEAST = 0.02  # of a side: less is no margin

Box = tuple[float, float, float, float]  # left, top, right, bottom in fractions
WHOLE_BOX: Box = (0.0, 0.0, 1.0, 1.0)


def find_content(pixels: NDArray[np.uint8], largest: float = LARGEST) -> Box:
    """The box inside a border of one colour, which is at most so wide; the whole picture where there is none."""
    large = min(pixels.shape[:2]) >= SAMPLED
    small = shrink(pixels, SAMPLED, SAMPLED) if large else stretch(pixels)
    levels = small.astype(np.int16)
    rim = np.concatenate([levels[0], levels[-1], levels[:, 0], levels[:, -1]])
    differs = (np.abs(levels - np.median(rim, axis=0)) > TOLERANCE).any(axis=2)
    columns = np.flatnonzero(differs.mean(axis=0) > SPECKS)
    rows = np.flatnonzero(differs.mean(axis=1) > SPECKS)
    if not len(columns) or not len(rows):
        return WHOLE_BOX
    edges = np.array([columns[0], rows[0], SAMPLED - 1 - columns[-1], SAMPLED - 1 - rows[-1]]) / SAMPLED
    if edges.max() > largest or edges.max() < LEAST:
        return WHOLE_BOX
    left, top, right, bottom = (float(edge) for edge in edges)
    return left, top, 1 - right, 1 - bottom


def stretch(pixels: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """A picture with a side below the size that is looked at."""
    return np.asarray(Image.fromarray(pixels).resize((SAMPLED, SAMPLED), Image.Resampling.BOX))
