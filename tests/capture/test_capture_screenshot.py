"""Screenshots: where the picture is on the screen, and what lies over it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from tiacam.capture import Kind, Strength, apply, draw
from tiacam.capture.codec import File
from tiacam.capture.screenshot import Screenshot
from tiacam.capture.stickers import SHAPES, Sticker, paste, render_sticker

Pixels = NDArray[np.uint8]


def plain(**changes: object) -> Screenshot:
    """A phone's whole screen with the picture uncovered, losslessly."""
    drawn = draw(Kind.SCREENSHOT, Strength.TYPICAL, seed=0)
    assert isinstance(drawn, Screenshot)
    bare = replace(
        drawn,
        device=(750, 1334),
        crop=(0.0, 0.0, 0.0, 0.0),
        stretch=1.0,
        width=0.8,
        place=0.5,
        border=0.0,
        tiles=1,
        tile=0,
        captions=(False, False),
        stickers=(),
        trimmed=False,
        long_side=1334,
        files=(File("PNG", 100),),
    )
    return replace(bare, **changes)  # type: ignore[arg-type]


def test_the_mask_is_exactly_the_outline_when_nothing_covers_the_picture(picture: Pixels) -> None:
    capture = apply(picture, plain())
    left, top = capture.corners[0].astype(int)
    right, bottom = capture.corners[2].astype(int)
    outline = np.zeros_like(capture.mask)
    outline[top:bottom, left:right] = True
    assert np.array_equal(capture.mask, outline)


def test_a_crop_moves_the_corners_off_what_is_shown(picture: Pixels) -> None:
    capture = apply(picture, plain(crop=(0.25, 0.0, 0.0, 0.0)))
    shown = np.flatnonzero(capture.mask.any(axis=0))
    width = capture.corners[1, 0] - capture.corners[0, 0]
    assert (shown[0] - capture.corners[0, 0]) / width == pytest.approx(0.25, abs=0.01)


@pytest.mark.parametrize("tile", range(4))
def test_a_collage_knows_which_tile_is_the_picture(picture: Pixels, tile: int) -> None:
    capture = apply(picture, plain(tiles=2, tile=tile))
    whole = apply(picture, plain())
    centre, middle = capture.corners.mean(axis=0), whole.corners.mean(axis=0)
    assert (centre[0] > middle[0], centre[1] > middle[1]) == (tile % 2 == 1, tile >= 2)
    assert capture.mask.sum() == pytest.approx(whole.mask.sum() / 4, rel=0.02)


def test_captions_and_stickers_are_left_out_of_the_mask(picture: Pixels) -> None:
    heart = Sticker("heart", 0.5, 0.5, 0.3, 0.0, 0.0)
    bare, covered = (
        apply(picture, plain(**c)) for c in ({}, {"captions": (True, True), "stickers": (heart,)})
    )
    assert covered.mask.sum() < 0.8 * bare.mask.sum()
    hidden = bare.mask & ~covered.mask
    changed = np.abs(bare.photo.astype(int) - covered.photo).max(axis=2) > 0
    assert not (changed & covered.mask).sum() > 0.02 * hidden.sum()


def test_the_neighbouring_posts_stay_off_the_picture(picture: Pixels) -> None:
    red = np.full((50, 50, 3), (255, 0, 0), np.uint8)
    with_other, without = apply(picture, plain(place=1.0), [red]), apply(picture, plain(place=1.0))
    assert np.array_equal(with_other.photo[with_other.mask], without.photo[without.mask])
    assert (with_other.photo == (255, 0, 0)).all(axis=2).any()


@pytest.mark.parametrize("device", [(750, 1334), (1920, 1080), (1536, 2048)])
def test_the_picture_fits_every_device(picture: Pixels, device: tuple[int, int]) -> None:
    capture = apply(picture, plain(device=device, long_side=4000))
    assert capture.photo.shape[:2] == device[::-1]
    assert capture.corners.min() >= 0
    assert (capture.corners <= np.array(device)).all()


@pytest.mark.parametrize("shape", SHAPES)
def test_every_sticker_draws_something_with_room_around(shape: str) -> None:
    patch = render_sticker(Sticker(shape, 0.5, 0.5, 0.2, 20.0, 0.6), 64)
    assert 0.03 < (patch[..., 3] > 128).mean() < 0.9


def test_a_sticker_outside_the_picture_lands_nowhere() -> None:
    canvas = np.zeros((40, 40, 3), np.uint8)
    patch = np.full((10, 10, 4), 255, np.uint8)
    assert paste(canvas, patch, 200, 5) is None
    assert paste(canvas, patch, 39, 39) is not None
    assert canvas.any()
