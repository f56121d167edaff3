"""The shipped locator finds what anybody would find."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from tiacam.image import load
from tiacam.locate import Locator, load_locator, locate
from tiacam.locate.rectify import UNIT_SQUARE, homography

Pixels = NDArray[np.uint8]
CORNERS = np.array([(210, 110), (660, 150), (690, 520), (150, 560)], float)


@pytest.fixture(scope="module")
def locator() -> Locator:
    return load_locator(threads=1)


def lay_on_desk(picture: Pixels, corners: NDArray[np.float64], frame: tuple[int, int] = (840, 640)) -> Pixels:
    """A print on a brown desk."""
    shape = np.array(picture.shape[1::-1], float)
    matrix = tuple(homography(corners, UNIT_SQUARE * shape).ravel()[:8])
    kind, sampling = Image.Transform.PERSPECTIVE, Image.Resampling.BICUBIC
    seen = Image.fromarray(picture).transform(frame, kind, matrix, sampling)
    mask = Image.new("L", (picture.shape[1], picture.shape[0]), 255).transform(frame, kind, matrix, sampling)
    return np.asarray(Image.composite(seen, Image.new("RGB", frame, (110, 80, 55)), mask))


def test_a_print_on_a_desk_is_found_with_its_corners(locator: Locator, pictures: dict[str, Pixels]) -> None:
    for name in ("astronaut", "cat", "coffee"):
        photo = lay_on_desk(pictures[name], CORNERS)
        quad = locator.locate(load(photo))[0]
        away = np.linalg.norm(quad.in_pixels(840, 640) - CORNERS, axis=1)
        assert away.mean() < 20, name  # of 450 pixels


def test_a_print_that_lies_on_its_side_is_found_in_one_of_four_turns(
    locator: Locator, pictures: dict[str, Pixels]
) -> None:
    turned = np.roll(CORNERS, -1, axis=0)
    quad = locator.locate(load(lay_on_desk(pictures["astronaut"], turned)))[0]
    away = [np.linalg.norm(quad.turned(k).in_pixels(840, 640) - turned, axis=1).mean() for k in range(4)]
    assert min(away) < 20
    assert sum(quad.turns) == pytest.approx(1, abs=1e-6)


def test_two_prints_are_both_found(locator: Locator, pictures: dict[str, Pixels]) -> None:
    left, right = CORNERS * 0.55 + np.array((-60.0, 20.0)), CORNERS * 0.55 + np.array((340.0, 200.0))
    photo = np.minimum(lay_on_desk(pictures["cat"], left), 255)
    second = lay_on_desk(pictures["coffee"], right)
    photo = np.where((second != (110, 80, 55)).any(-1, keepdims=True), second, photo).astype(np.uint8)
    found = [quad.in_pixels(840, 640) for quad in locator.locate(load(photo))]
    for wanted in (left, right):
        assert min(np.linalg.norm(quad - wanted, axis=1).mean() for quad in found) < 20


def test_a_blank_wall_shows_no_picture(locator: Locator) -> None:
    for level in (0, 128, 255):
        assert locator.locate(load(np.full((480, 640, 3), level, np.uint8))) == []


def test_a_tiny_and_a_long_photo_are_answered(locator: Locator, pictures: dict[str, Pixels]) -> None:
    for pixels in (pictures["cat"][:32, :32], pictures["rocket"][:40, :600]):
        assert all(0 <= quad.confidence <= 1 for quad in locator.locate(load(pixels)))


def test_a_second_look_does_not_lose_the_print(locator: Locator, pictures: dict[str, Pixels]) -> None:
    photo = load(lay_on_desk(pictures["coffee"], CORNERS))
    quad = locator.refine(photo, locator.locate(photo))[0]
    assert np.linalg.norm(quad.in_pixels(840, 640) - CORNERS, axis=1).mean() < 20
    assert locator.refine(photo, []) == []


def test_the_short_form_uses_the_same_locator(locator: Locator, pictures: dict[str, Pixels]) -> None:
    photo = load(lay_on_desk(pictures["cat"], CORNERS))
    one, other = locate(photo), locator.locate(photo)
    assert np.array([quad.corners for quad in one]) == pytest.approx(
        np.array([quad.corners for quad in other]), abs=1e-3
    )
