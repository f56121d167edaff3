"""Arrays as sources, and the square that a model sees."""

from __future__ import annotations

import numpy as np
import pytest
from picture_files import encode, gradient
from PIL import Image

from tiacam.errors import ImageTooLargeError, ImageTooSmallError, UnreadableImageError
from tiacam.image import load, square


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.dtype(">u2"), np.float16, np.float32, np.float64])
def test_every_accepted_type_gives_the_same_pixels(dtype: np.dtype) -> None:
    dtype = np.dtype(dtype)
    factor = 1 / 255 if dtype.kind == "f" else 257 if dtype.itemsize == 2 else 1
    picture = load((gradient() * np.float64(factor)).astype(dtype))
    assert np.array_equal(picture.pixels, gradient())
    assert (picture.name, picture.media_type, picture.sha256) == ("<array>", "application/x-raw", None)


def test_every_accepted_shape_gives_three_channels() -> None:
    grey = gradient()[:, :, 0]
    expected = np.repeat(grey[:, :, None], 3, axis=2)
    opaque = np.dstack([expected, np.full_like(grey, 255)])
    for samples in (grey, grey[:, :, None], expected, opaque):
        picture = load(samples)
        assert np.array_equal(picture.pixels, expected)
        assert picture.pixels.flags.c_contiguous
        assert picture.size == (96, 64)


def test_a_clear_alpha_channel_shows_white() -> None:
    assert load(np.zeros((40, 40, 4), np.uint8)).pixels.min() == 255


def test_a_picture_does_not_change_with_the_array_it_came_from() -> None:
    samples = gradient()
    picture = load(samples[:, ::-1])
    samples[:] = 0
    assert np.array_equal(picture.pixels, gradient()[:, ::-1])
    assert not picture.pixels.flags.writeable


@pytest.mark.parametrize(
    ("samples", "reason"),
    [
        (np.full((40, 40, 3), np.nan), "NaN or infinity"),
        (np.full((40, 40), -np.inf, np.float32), "NaN or infinity"),
        (np.full((40, 40), 255.0), "from 255 to 255"),
        (np.full((40, 40), -0.1), r"from -0\.1 to -0\.1"),
        (np.zeros((40, 40), np.int64), "type int64"),
        (np.zeros((40, 40), bool), "type bool"),
        (np.zeros((40, 40), object), "type object"),
        (np.zeros((3, 40, 40), np.uint8), r"shape \(3, 40, 40\)"),
        (np.zeros((1, 40, 40, 3), np.uint8), r"shape \(1, 40, 40, 3\)"),
        (np.zeros(40, np.uint8), r"shape \(40,\)"),
    ],
)
def test_what_is_no_picture_is_refused_with_what_was_got_and_wanted(samples: np.ndarray, reason: str) -> None:
    with pytest.raises(UnreadableImageError, match=f"<array>: .*{reason}.*wanted"):
        load(samples)


def test_arrays_have_the_same_limits_as_files() -> None:
    with pytest.raises(ImageTooSmallError, match="31×40"):
        load(np.zeros((40, 31, 3), np.uint8))
    with pytest.raises(ImageTooSmallError):
        load(np.zeros((0, 0, 3), np.float32))
    with pytest.raises(ImageTooLargeError):
        load(np.broadcast_to(np.uint8(0), (20_000, 10_000)))


def test_square_squashes_the_whole_picture() -> None:
    squashed = square(gradient(600, 200), 64)
    assert squashed.shape == (64, 64, 3)
    assert np.abs(squashed.astype(int) - gradient(64, 64)).max() <= 4


def test_square_of_a_box_is_the_square_of_that_part() -> None:
    pixels = gradient(600, 400)
    assert np.array_equal(square(pixels, 50, (100, 50, 500, 250)), square(pixels[50:250, 100:500], 50))
    part = square(pixels, 50, (100.5, 50.5, 101.5, 51.5))
    assert np.ptp(part.reshape(-1, 3), axis=0).max() <= 1


@pytest.mark.parametrize(
    "box", [(-3, 0, -1, 5), (0, 0, 97, 5), (5, 5, 5, 9), (9, 5, 5, 9), (0, 0, float("nan"), 5)]
)
def test_square_refuses_a_box_outside_the_picture(box: tuple[float, float, float, float]) -> None:
    with pytest.raises(ValueError, match="box"):
        square(gradient(), 8, box)


def test_square_does_not_alias_fine_stripes() -> None:
    stripes = np.zeros((1000, 1000, 3), np.uint8)
    stripes[:, ::2] = 255
    assert np.ptp(square(stripes, 224)) <= 2


def test_square_hardly_cares_at_which_scale_a_jpeg_was_decoded() -> None:
    noise = np.random.default_rng(1).integers(0, 256, (30, 40, 3), dtype=np.uint8)
    data = encode(Image.fromarray(noise).resize((1600, 1200), Image.Resampling.BICUBIC), "JPEG")
    full, reduced = square(load(data).pixels, 224), square(load(data, target=224).pixels, 224)
    assert np.abs(full.astype(int) - reduced).mean() < 2
