"""From cells to quadrilaterals."""

from __future__ import annotations

import numpy as np
import pytest
from drawn_cells import answer_for

from tiacam.locate.voting import vote

TILTED = np.array([(0.2, 0.15), (0.8, 0.25), (0.75, 0.85), (0.1, 0.7)])
LEFT = np.array([(0.05, 0.1), (0.4, 0.12), (0.42, 0.6), (0.06, 0.55)])
RIGHT = np.array([(0.55, 0.4), (0.95, 0.38), (0.9, 0.9), (0.5, 0.95)])


def test_cells_that_agree_give_one_quadrilateral() -> None:
    (quad,) = vote(answer_for([TILTED]), 4)
    assert np.array(quad.corners) == pytest.approx(TILTED, abs=1e-3)
    assert quad.confidence > 0.8
    assert quad.turns[0] == pytest.approx(0.85)


def test_each_cell_may_begin_with_another_corner() -> None:
    (quad,) = vote(answer_for([TILTED], np.random.default_rng(0)), 4)
    assert np.array(quad.corners) == pytest.approx(TILTED, abs=1e-3)


def test_many_noisy_votes_are_better_than_one() -> None:
    raw = answer_for([TILTED], np.random.default_rng(1), noise=0.5)
    quad = vote(raw, 4)[0]
    assert np.abs(np.array(quad.corners) - TILTED).max() < 0.005


def test_two_pictures_give_two_quadrilaterals() -> None:
    quads = vote(answer_for([LEFT, RIGHT], np.random.default_rng(2), noise=0.2), 4)
    found = sorted((np.array(quad.corners) for quad in quads), key=lambda corners: corners[0, 0])
    assert len(found) == 2
    assert found[0] == pytest.approx(LEFT, abs=0.01)
    assert found[1] == pytest.approx(RIGHT, abs=0.01)


def test_a_picture_half_hidden_by_another_is_found_whole() -> None:
    behind = LEFT + np.array((0.25, 0.2))
    quads = vote(answer_for([behind, RIGHT]), 4)
    errors = [np.abs(np.array(quad.corners) - behind).max() for quad in quads]
    assert min(errors) < 0.01


def test_no_more_quadrilaterals_come_than_are_asked_for() -> None:
    assert len(vote(answer_for([LEFT, RIGHT]), 1)) == 1


def test_a_photo_without_pictures_gives_none() -> None:
    assert vote(answer_for([]), 4) == []


def test_corners_beyond_the_photo_are_kept() -> None:
    beyond = np.array([(-0.3, 0.2), (0.6, 0.1), (0.7, 1.2), (-0.2, 1.1)])
    (quad,) = vote(answer_for([beyond]), 4)
    assert np.array(quad.corners) == pytest.approx(beyond, abs=1e-3)
    assert quad.confidence > 0.7


def test_cells_with_random_corners_are_no_picture() -> None:
    rng = np.random.default_rng(3)
    raw = answer_for([], rng)
    raw[:, 0] = 0.9
    assert all(quad.confidence < 0.3 for quad in vote(raw, 4))
