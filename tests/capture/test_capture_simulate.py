"""Captures: the same for the same seed, true about where the picture is, worse with strength."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import replace

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from tiacam.capture import Capture, Kind, Strength, apply, draw, simulate
from tiacam.capture.photo import Shot
from tiacam.errors import ImageTooSmallError, UnreadableImageError, UsageError

Pixels = NDArray[np.uint8]
Rectify = Callable[[Capture, tuple[int, int]], Pixels]
ALL = [(kind, strength) for kind in Kind for strength in Strength]
SIZE = (240, 160)


def likeness(first: Pixels, second: Pixels) -> float:
    """Correlation of the brightness of two pictures of one size, slightly blurred."""
    grey = [cv2.cvtColor(p, cv2.COLOR_RGB2GRAY).astype(np.float64) for p in (first, second)]
    flat = [cv2.GaussianBlur(p, (0, 0), 2.0).ravel() for p in grey]
    return float(np.corrcoef(flat[0], flat[1])[0, 1])


@pytest.mark.parametrize(("kind", "strength"), ALL)
def test_the_same_seed_gives_the_same_bytes(picture: Pixels, kind: Kind, strength: Strength) -> None:
    one, two = (simulate(picture, kind, strength, seed=5, long_side=480) for _ in range(2))
    assert one.encoded == two.encoded
    assert np.array_equal(one.corners, two.corners)
    assert np.array_equal(one.mask, two.mask)


@pytest.mark.parametrize("kind", list(Kind))
def test_another_seed_gives_another_capture(picture: Pixels, kind: Kind) -> None:
    one, two = (simulate(picture, kind, Strength.TYPICAL, seed=seed, long_side=480) for seed in (1, 2))
    assert one.encoded != two.encoded


@pytest.mark.parametrize(("kind", "strength"), ALL)
def test_the_photo_is_the_file_decoded(picture: Pixels, kind: Kind, strength: Strength) -> None:
    capture = simulate(picture, kind, strength, seed=3, long_side=480)
    with Image.open(io.BytesIO(capture.encoded)) as file:
        assert Image.MIME[str(file.format)].replace("heif", "heic") == capture.media_type
        assert np.array_equal(np.asarray(file.convert("RGB")), capture.photo)
    assert capture.photo.dtype == np.uint8
    assert capture.mask.shape == capture.photo.shape[:2]
    assert max(capture.photo.shape) <= 480


@pytest.mark.parametrize("kind", list(Kind))
@pytest.mark.parametrize("seed", range(4))
def test_rectifying_a_mild_capture_gives_the_picture_back(
    picture: Pixels, rectify: Rectify, kind: Kind, seed: int
) -> None:
    capture = simulate(picture, kind, Strength.MILD, seed=seed, long_side=720)
    assert likeness(rectify(capture, SIZE), picture) > 0.87


@pytest.mark.parametrize("kind", list(Kind))
def test_the_corners_are_where_the_marks_are(picture: Pixels, rectify: Rectify, kind: Kind) -> None:
    """The marks of a rectified capture lie within two pixels of where the picture has them."""
    flat = rectify(simulate(picture, kind, Strength.MILD, seed=2, long_side=960), SIZE)
    for x, y in ((24, 24), (216, 24), (216, 136), (24, 136)):
        mark = picture[y - 12 : y + 12, x - 12 : x + 12]
        around = flat[y - 18 : y + 18, x - 18 : x + 18]
        found = np.unravel_index(np.argmax(cv2.matchTemplate(around, mark, cv2.TM_CCOEFF_NORMED)), (13, 13))
        assert np.abs(np.array(found) - 6).max() <= 2


@pytest.mark.parametrize(("kind", "strength"), ALL)
def test_the_mask_is_inside_the_outline(picture: Pixels, kind: Kind, strength: Strength) -> None:
    """Straight outline and mask agree up to the sheet's curl and the lens, and what is hidden in front."""
    for seed in range(3):
        capture = simulate(picture, kind, strength, seed=seed, long_side=480)
        outline = np.zeros(capture.mask.shape, np.uint8)
        cv2.fillConvexPoly(outline, np.round(capture.corners - 0.5).astype(np.int32), 1)
        grown = cv2.dilate(
            outline, np.ones((3, 3), np.uint8), iterations=10 if strength is Strength.SEVERE else 4
        )
        assert capture.mask.any()
        assert np.mean(capture.mask & (grown == 0)) < 0.002


@pytest.mark.parametrize("kind", list(Kind))
def test_a_stronger_capture_is_less_like_the_picture(picture: Pixels, rectify: Rectify, kind: Kind) -> None:
    means = []
    for strength in Strength:
        captures = [simulate(picture, kind, strength, seed=seed, long_side=480) for seed in range(8)]
        means.append(np.mean([likeness(rectify(capture, SIZE), picture) for capture in captures]))
    assert means[0] > means[1] + 0.01 > means[2] + 0.04


@pytest.mark.parametrize("kind", [Kind.SCREEN, Kind.PRINT])
def test_a_stronger_photo_shows_the_picture_smaller_and_more_tilted(kind: Kind) -> None:
    poses = [[draw(kind, strength, seed=seed) for seed in range(20)] for strength in Strength]
    areas = [np.mean([shot.pose.area for shot in shots if isinstance(shot, Shot)]) for shots in poses]
    tilts = [np.mean([shot.pose.tilt for shot in shots if isinstance(shot, Shot)]) for shots in poses]
    assert areas[0] > areas[1] > areas[2]
    assert tilts[0] < tilts[1] < tilts[2]


@pytest.mark.parametrize("kind", list(Kind))
def test_a_draw_is_applied_to_any_picture(picture: Pixels, kind: Kind) -> None:
    drawn = draw(kind, Strength.TYPICAL, seed=4, long_side=480)
    tall = np.ascontiguousarray(np.rot90(picture))
    assert apply(picture, drawn).encoded == apply(picture, drawn).encoded
    assert apply(tall, drawn).mask.any()


@pytest.mark.parametrize("kind", list(Kind))
def test_backgrounds_are_shown_around_but_not_on_the_picture(picture: Pixels, kind: Kind) -> None:
    drawn = draw(kind, Strength.TYPICAL, seed=0, long_side=480)
    if isinstance(drawn, Shot):
        drawn = replace(drawn, scene=replace(drawn.scene, photo=True, behind=False, clutter=0, fingers=0))
    else:
        drawn = replace(drawn, trimmed=False, place=1.0)
    red, blue = (np.full((64, 64, 3), colour, np.uint8) for colour in ((220, 20, 20), (20, 20, 220)))
    first, second = (apply(picture, drawn, [ground]) for ground in (red, blue))
    around = ~first.mask
    warmth = [
        c.photo[around].astype(float).mean(axis=0)[0] - c.photo[around].astype(float).mean(axis=0)[2]
        for c in (first, second)
    ]
    assert warmth[0] > warmth[1] + 10


@pytest.mark.parametrize("kind", list(Kind))
def test_tiny_and_long_pictures_can_be_captured(kind: Kind) -> None:
    for shape in ((16, 16, 3), (16, 400, 3), (900, 40, 3)):
        made = np.random.default_rng(0).integers(0, 256, shape, dtype=np.uint8)
        assert simulate(made, kind, Strength.TYPICAL, seed=1, long_side=320).photo.size


def test_what_is_no_picture_is_refused(picture: Pixels) -> None:
    with pytest.raises(UnreadableImageError, match="wanted uint8"):
        simulate(picture[..., 0], Kind.PRINT, Strength.MILD, seed=0)
    with pytest.raises(ImageTooSmallError, match="8×160"):
        simulate(picture[:, :8], Kind.PRINT, Strength.MILD, seed=0)
    with pytest.raises(UsageError, match="negative"):
        simulate(picture, Kind.PRINT, Strength.MILD, seed=-1)
