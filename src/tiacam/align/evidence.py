"""How unlikely it is that the landmarks of an unrelated picture agree on a place: an a-contrario test.

Null hypothesis: matches are accidents, and each lands anywhere in the photo, turned anyhow, independently of the
others. Four matches make a homography; the number of false alarms counts every choice of four. Keypoints
of one small patch (a logo, a line of letters) stand or fall together, so that a cell of the picture counts once.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from tiacam.align.keypoints import Floats

CELLS = 12  # in each direction
FIXED = 4  # matches that a homography uses up


def geometric_p_value(points: Floats, inside: NDArray[np.bool_], chance: float) -> float:
    """The bound on the probability that matches at `points` agree as those `inside` do, at `chance` for each."""
    column, row = np.clip(points * CELLS, 0, CELLS - 1).astype(int).T
    cell = row * CELLS + column
    tried, agreeing = np.unique(cell), np.unique(cell[inside])
    cells, hits = len(tried), len(agreeing)
    if hits <= FIXED:
        return 1.0
    crowd = len(points) / cells
    each = 1 - (1 - chance) ** math.ceil(crowd)
    return min(1.0, math.comb(cells, FIXED) * binomial_tail(hits - FIXED, cells - FIXED, each))


def binomial_tail(hits: int, trials: int, chance: float) -> float:
    """P(at least `hits` of `trials`)."""
    terms = (math.comb(trials, k) * chance**k * (1 - chance) ** (trials - k) for k in range(hits, trials + 1))
    return min(1.0, math.fsum(terms))
