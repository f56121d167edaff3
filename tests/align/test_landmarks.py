"""Landmarks: what a record keeps of a picture's geometry, byte for byte, and where a margin ends."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from tiacam.align import Landmarks, choose_landmarks, find_content, find_keypoints, has_few_details
from tiacam.align.landmarks import LARGEST, MOST
from tiacam.errors import DamagedRegistryError

from .pictures import framed, photo_of, textured

Pixels = NDArray[np.uint8]


def test_the_landmarks_of_a_picture_survive_packing_to_within_their_precision() -> None:
    chosen = choose_landmarks(photo_of(textured()))
    packed = chosen.pack()
    back = Landmarks.unpack(packed)
    assert len(packed) <= LARGEST
    assert len(back) == len(chosen) == MOST
    assert np.abs(back.points - chosen.points).max() <= 0.5 / 4095 + 1e-6
    turns = (back.angles - chosen.angles + np.pi) % (2 * np.pi) - np.pi
    assert np.abs(turns).max() <= np.pi / 256 + 1e-6
    assert np.array_equal(back.signs, chosen.signs)
    assert back.aspect == pytest.approx(chosen.aspect, rel=1e-4)
    assert back.pack() == packed


def test_a_picture_without_texture_has_no_landmarks_and_still_packs() -> None:
    plain = choose_landmarks(photo_of(np.full((200, 300, 3), 120, np.uint8)))
    assert len(plain) == 0
    assert len(Landmarks.unpack(plain.pack())) == 0


def test_a_picture_with_almost_nothing_in_it_is_known_by_its_landmarks() -> None:
    gradient = np.repeat(np.linspace(0, 255, 300).astype(np.uint8)[None, :, None], 200, axis=0).repeat(
        3, axis=2
    )
    assert has_few_details(choose_landmarks(photo_of(gradient)).pack())
    assert not has_few_details(choose_landmarks(photo_of(textured())).pack())
    assert not has_few_details(b"")  # an older record, of which nothing is known


@pytest.mark.parametrize("content", [b"", b"\x01", bytes(9), b"\x02" + bytes(8), b"\x01" + bytes(10)])
def test_damaged_landmarks_are_refused(content: bytes) -> None:
    with pytest.raises(DamagedRegistryError, match="landmarks"):
        Landmarks.unpack(content)


def test_landmarks_lie_in_every_part_of_an_evenly_textured_picture() -> None:
    points = choose_landmarks(photo_of(textured())).points
    cells = {(int(x * 4), int(y * 4)) for x, y in np.minimum(points, 0.999)}
    assert len(cells) == 16


def test_the_box_of_a_framed_picture_is_found_and_that_of_a_full_one_is_whole() -> None:
    left, top, right, bottom = find_content(framed(textured(), 0.2, 0.1))
    assert (left, right) == pytest.approx((0.2 / 1.4, 1.2 / 1.4), abs=0.02)
    assert (top, bottom) == pytest.approx((0.1 / 1.2, 1.1 / 1.2), abs=0.02)
    assert find_content(textured()) == (0.0, 0.0, 1.0, 1.0)


def test_a_plain_picture_is_no_margin() -> None:
    assert find_content(np.full((64, 64, 3), 255, np.uint8)) == (0.0, 0.0, 1.0, 1.0)


def test_keypoints_are_limited_and_the_same_every_time() -> None:
    one, two = (find_keypoints(photo_of(textured()), 256, 50) for _ in range(2))
    assert len(one) == 50
    assert np.array_equal(one.descriptors, two.descriptors)
    assert np.linalg.norm(one.descriptors, axis=1) == pytest.approx(np.ones(50), abs=1e-5)
    assert ((one.points >= 0) & (one.points <= 1)).all()


def test_keypoints_of_a_photo_are_spread_over_all_of_it() -> None:
    """Half of the photo is full of strong detail, the other half of weak detail: both keep theirs."""
    pixels = textured(0, 600, 600)
    pixels[:, 300:] = 100 + pixels[:, 300:] // 3
    photo = photo_of(pixels)
    plain, spread = find_keypoints(photo, 600, 100), find_keypoints(photo, 600, 100, spread=True)
    assert len(plain) == len(spread) == 100
    assert (plain.points[:, 0] > 0.5).mean() < 0.1
    assert (spread.points[:, 0] > 0.5).mean() > 0.3
    assert (spread.strongest[:, 0] > 0.5).mean() < 0.1
