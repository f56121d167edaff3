"""Quadrilaterals as views of a photo."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from tiacam.image import load
from tiacam.locate import Quad

BOX = Quad(((0.25, 0.25), (0.75, 0.25), (0.75, 0.75), (0.25, 0.75)), 0.9, (0.7, 0.05, 0.15, 0.1))


def test_a_quad_is_cut_like_a_view(pictures: dict[str, NDArray[np.uint8]]) -> None:
    cut = BOX.cut(load(pictures["astronaut"]), 256)  # the middle of 512×512
    assert np.abs(cut.astype(float) - pictures["astronaut"][128:384, 128:384]).mean() < 1


def test_turning_four_times_gives_the_same_quad() -> None:
    assert BOX.turned(1).corners[0] == (0.75, 0.25)
    assert BOX.turned(1).name == "located, turned 90°"
    assert BOX.turned(1).turned(3) == BOX


def test_likely_turns_come_in_their_order_and_without_the_unlikely() -> None:
    assert [quad.quarters for quad in BOX.likely_turns(0.1)] == [0, 2, 3]
    assert [quad.quarters for quad in BOX.likely_turns(0.9)] == [0]


def test_a_square_is_widened_by_shares_of_its_sides() -> None:
    wide = BOX.widened(0.5, 0.0, 0.5, 0.1)
    assert np.array(wide.corners) == pytest.approx(
        np.array([(0.0, 0.25), (1.0, 0.25), (1.0, 0.8), (0.0, 0.8)])
    )


def test_pixels_follow_the_size_of_the_photo() -> None:
    assert BOX.in_pixels(400, 200).tolist() == [[100, 50], [300, 50], [300, 150], [100, 150]]
    assert BOX.smallest_side == pytest.approx(0.5)
