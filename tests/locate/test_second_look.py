"""The second look corrects corners and never replaces a picture by another."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tiacam.locate import Quad
from tiacam.locate.locator import SECOND_MARGIN, second_look
from tiacam.locate.quad import to_points
from tiacam.locate.rectify import UNIT_SQUARE, apply_homography, homography

TRUTH = np.array([(0.2, 0.15), (0.8, 0.25), (0.75, 0.85), (0.1, 0.7)])
FIRST = Quad(to_points(TRUTH + 0.02), 0.8, (0.7, 0.1, 0.1, 0.1))
NEAR = FIRST.widened(SECOND_MARGIN, SECOND_MARGIN, SECOND_MARGIN, SECOND_MARGIN)


def seen_at(corners: np.ndarray) -> Quad:
    """What a perfect second look sees of a quadrilateral of the photo."""
    matrix = homography(np.array(NEAR.corners), UNIT_SQUARE)
    return Quad(to_points(apply_homography(matrix, corners)), 0.9)


@pytest.mark.parametrize("turn", range(4))
def test_corners_come_from_the_second_look_and_their_order_from_the_first(turn: int) -> None:
    quad = second_look(FIRST, NEAR, [seen_at(np.roll(TRUTH, turn, axis=0))])
    assert np.array(quad.corners) == pytest.approx(TRUTH, abs=1e-9)
    assert quad == replace(FIRST, corners=quad.corners)


def test_another_picture_at_the_second_look_changes_nothing() -> None:
    elsewhere = seen_at(TRUTH * 0.4 + 0.3)
    assert second_look(FIRST, NEAR, [elsewhere]) == FIRST
    assert second_look(FIRST, NEAR, []) == FIRST
