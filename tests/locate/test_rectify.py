"""Rectifying: the right pixels, the right way round, without aliasing."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from tiacam.locate.rectify import UNIT_SQUARE, apply_homography, homography, rectify, straighten

Pixels = NDArray[np.uint8]


def difference(one: Pixels, other: Pixels) -> float:
    return float(np.abs(one.astype(float) - other).mean())


def test_the_corners_of_the_whole_photo_give_the_whole_photo(pictures: dict[str, Pixels]) -> None:
    photo = pictures["astronaut"]  # 512×512
    assert difference(rectify(photo, UNIT_SQUARE * 512, 512), photo) == 0


def test_a_box_comes_out_as_pillow_would_crop_and_shrink_it(pictures: dict[str, Pixels]) -> None:
    photo = pictures["cat"]  # 300×451
    corners = [(40, 30), (424, 30), (424, 286), (40, 286)]
    wanted = Image.fromarray(photo).resize((64, 64), Image.Resampling.BOX, box=(40, 30, 424, 286))
    assert difference(rectify(photo, corners, 64), np.asarray(wanted)) < 6


def test_what_a_homography_bent_is_straight_again(pictures: dict[str, Pixels]) -> None:
    picture = pictures["coffee"][:400, :400]
    corners = np.array([(90, 60), (520, 20), (600, 470), (40, 430)], float)
    back = homography(corners, UNIT_SQUARE * 400)
    photo = Image.fromarray(picture).transform(
        (640, 480), Image.Transform.PERSPECTIVE, tuple(back.ravel()[:8]), Image.Resampling.BICUBIC
    )
    small = np.asarray(Image.fromarray(picture).resize((160, 160), Image.Resampling.BICUBIC))
    assert difference(rectify(np.asarray(photo), corners, 160), small) < 6


@pytest.mark.parametrize("quarters", [1, 2, 3])
def test_the_first_corner_says_which_way_is_up(pictures: dict[str, Pixels], quarters: int) -> None:
    photo = pictures["astronaut"]
    corners = np.array([(100, 100), (356, 100), (356, 356), (100, 356)], float)
    turned = rectify(photo, np.roll(corners, -quarters, axis=0), 64)
    assert difference(turned, np.rot90(rectify(photo, corners, 64), quarters)) < 1


def test_fine_lines_become_grey_instead_of_a_pattern() -> None:
    lines = np.zeros((1024, 1024, 3), np.uint8)
    lines[:, ::2] = 255
    corners = [(20, 30), (1000, 10), (990, 1000), (30, 990)]
    assert rectify(lines, corners, 96).std() < 3


def test_what_lies_outside_the_photo_is_its_mirror_image(pictures: dict[str, Pixels]) -> None:
    photo = pictures["astronaut"]
    height, width = photo.shape[:2]
    corners = [(-width, 0), (width, 0), (width, height), (-width, height)]
    twice = rectify(photo, corners, 64)
    assert difference(twice[:, :32], twice[:, :31:-1]) < 1


@pytest.mark.parametrize("mirrored", [True, False])
def test_what_lies_far_outside_has_the_photo_s_mean_colour(mirrored: bool) -> None:
    photo = np.full((100, 100, 3), (10, 200, 90), np.uint8)
    far = [(200, 200), (300, 200), (300, 300), (200, 300)]
    near = [(-50, -50), (50, -50), (50, 50), (-50, 50)]
    for corners in (near, far):
        assert (straighten(photo, corners, 32, 32, mirrored=mirrored) == (10, 200, 90)).all()


def test_without_mirroring_nothing_is_made_up(pictures: dict[str, Pixels]) -> None:
    """Keypoints must not be found twice."""
    photo = pictures["astronaut"]
    height, width = photo.shape[:2]
    beside = straighten(photo, [(-width, 0), (width, 0), (width, height), (-width, height)], 64, 32)
    assert beside[:, :30].std(axis=(0, 1)).max() == 0


@pytest.mark.parametrize(
    "corners",
    [
        [(0, 0), (1, 0), (1, 1)],
        [(0, 0), (10, 10), (10, 0), (0, 10)],  # crossed
        [(0, 0), (10, 0), (20, 0), (30, 0)],  # flat
        [(0, 0), (10, 0), (10, float("nan")), (0, 10)],
    ],
)
def test_corners_without_an_area_are_refused(corners: list[tuple[float, float]]) -> None:
    with pytest.raises(ValueError, match="corners"):
        rectify(np.zeros((32, 32, 3), np.uint8), corners, 16)


def test_a_homography_takes_each_point_to_its_image() -> None:
    images = np.array([(3, 4), (9, 5), (8, 11), (2, 8)], float)
    matrix = homography(UNIT_SQUARE, images)
    assert apply_homography(matrix, UNIT_SQUARE) == pytest.approx(images)


def test_a_grey_photo_is_straightened_as_its_colours_are(pictures: dict[str, Pixels]) -> None:
    grey = pictures["astronaut"][..., 0]
    corners = [(100, 120), (420, 100), (400, 380), (90, 400)]
    colours = straighten(np.ascontiguousarray(np.dstack([grey] * 3)), corners, 80, 60)
    assert colours.shape == (60, 80, 3)
    assert (straighten(np.ascontiguousarray(grey), corners, 80, 60) == colours[..., 0]).all()
