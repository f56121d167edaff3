"""Alignment: a tilted, turned picture is found where it is; another picture is not found at all."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tiacam.align import Landmarks, align, choose_landmarks, find_keypoints, geometric_p_value
from tiacam.align.evidence import binomial_tail
from tiacam.align.fitting import is_plausible, turn_alike, without_rival

from .pictures import photo_of, seen_at, textured

TILTED = np.array([(120, 60), (380, 90), (350, 320), (90, 280)], np.float64)
SIZE = np.array([480, 400])


def landmarks(seed: int = 0) -> Landmarks:
    return Landmarks.unpack(choose_landmarks(photo_of(textured(seed))).pack())


@pytest.mark.parametrize("quarters", [0, 1, 2, 3])
def test_a_tilted_picture_is_found_however_it_is_turned(quarters: int) -> None:
    corners = np.roll(TILTED, quarters, axis=0)
    photo = find_keypoints(photo_of(seen_at(textured(), corners)), 512, 1000)
    found = align(landmarks(), photo)
    assert found is not None
    assert np.abs(np.array(found.corners) * SIZE - corners).max() < 6
    assert found.p_value < 1e-12
    assert found.inliers > 20


def test_another_picture_gives_no_evidence() -> None:
    photo = find_keypoints(photo_of(seen_at(textured(), TILTED)), 512, 1000)
    found = align(landmarks(seed=9), photo)
    assert found is None or found.p_value > 0.01


def test_nothing_is_found_in_a_plain_photo() -> None:
    photo = find_keypoints(photo_of(np.full((300, 300, 3), 90, np.uint8)), 512, 1000)
    assert align(landmarks(), photo) is None


def test_a_mirror_image_and_a_folded_view_are_not_plausible() -> None:
    assert is_plausible(np.eye(3))
    assert not is_plausible(np.diag([-1.0, 1.0, 1.0]))
    assert not is_plausible(np.array([[1, 0, 0], [0, 1, 0], [-2.0, 0, 1]]))


def test_the_most_common_turn_is_kept_across_the_full_circle() -> None:
    turns = np.array([3.1, -3.1, math.pi, 0.5, 3.0], np.float32)
    assert turn_alike(turns).tolist() == [True, True, True, False, True]


def test_the_tail_of_a_binomial_is_that_of_a_hand_computed_one() -> None:
    assert binomial_tail(2, 3, 0.5) == pytest.approx(0.5)
    assert binomial_tail(0, 5, 0.1) == pytest.approx(1.0)
    assert binomial_tail(5, 5, 0.1) == pytest.approx(1e-5)


def test_many_matches_in_one_patch_are_no_evidence() -> None:
    crowd = np.full((40, 2), 0.5, np.float32) + np.linspace(0, 0.01, 40, dtype=np.float32)[:, None]
    assert geometric_p_value(crowd, np.ones(40, bool), 1e-4) == 1.0


@given(st.integers(5, 40), st.floats(1e-5, 0.05))
def test_more_agreement_is_never_weaker_evidence(hits: int, chance: float) -> None:
    dice = np.random.default_rng(0)
    points = dice.random((40, 2), dtype=np.float32)
    fewer, more = (np.arange(40) < count for count in (hits - 1, hits))
    assert geometric_p_value(points, more, chance) <= geometric_p_value(points, fewer, chance) + 1e-12


def test_a_landmark_with_a_rival_elsewhere_is_no_match_and_one_with_two_turns_at_its_place_is() -> None:
    likeness = np.array([[1.0, 1.0, -1.0], [0.95, 0.95, -2.0], [0.2, 0.2, -3.0]], np.float32)  # (K, L)
    best = likeness.argmax(axis=0)
    together = np.array([(0.5, 0.5), (0.501, 0.5), (0.9, 0.9)], np.float32)
    apart = np.array([(0.5, 0.5), (0.6, 0.5), (0.9, 0.9)], np.float32)
    assert without_rival(likeness, best, likeness[0], together).tolist() == [0, 1, 2]
    assert without_rival(likeness, best, likeness[0], apart).tolist() == [2]
