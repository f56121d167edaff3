"""Modes, depths, transparency and colour profiles."""

from __future__ import annotations

import io
import struct
import warnings

import numpy as np
import pytest
import tifffile
from picture_files import chunk, encode, gradient, grey_profile, png16, srgb_profile, swapped_profile
from PIL import Image

from tiacam.errors import UnreadableImageError
from tiacam.image import load
from tiacam.image.colour import build_transform

RED = (200, 30, 60)
# Half red over white: what every viewer shows of RED with alpha 128.
PINK = (227, 142, 157)


def plain(mode: str, value: object) -> Image.Image:
    return Image.new(mode, (40, 40), value)  # type: ignore[arg-type]


def tiff(samples: np.ndarray, **options: object) -> bytes:
    stream = io.BytesIO()
    tifffile.imwrite(stream, samples, **options)
    return stream.getvalue()


def half_palette() -> Image.Image:
    image = plain("RGB", RED).quantize(4)
    image.info["transparency"] = bytes([128] * 4)
    return image


@pytest.mark.parametrize(
    ("image", "expected"),
    [
        (plain("RGBA", (*RED, 128)), PINK),
        (plain("RGBA", (*RED, 0)), (255, 255, 255)),
        (plain("RGBA", (*RED, 128)).convert("RGBa"), PINK),
        (plain("LA", (0, 128)), (127, 127, 127)),
        (plain("PA", (0, 0)), (255, 255, 255)),
        (half_palette(), PINK),
    ],
    ids=["RGBA", "clear", "RGBa", "LA", "PA", "P"],
)
def test_transparency_is_laid_over_white(image: Image.Image, expected: tuple[int, int, int]) -> None:
    assert np.abs(load(image).pixels.astype(int) - expected).max() <= 1


def test_transparency_survives_the_way_through_files() -> None:
    for kind in ("PNG", "WEBP", "TIFF"):
        assert (
            np.abs(load(encode(plain("RGBA", (*RED, 128)), kind)).pixels[20, 20].astype(int) - PINK).max()
            <= 3
        )
    assert np.abs(load(encode(half_palette(), "PNG")).pixels[20, 20].astype(int) - PINK).max() <= 1


@pytest.mark.parametrize("mode", ["RGB", "RGBA", "CMYK", "YCbCr", "P"])
def test_colours_survive_every_mode(mode: str) -> None:
    image = plain("RGB", (204, 51, 102)).convert(mode)
    assert np.abs(load(image).pixels.astype(int) - (204, 51, 102)).max() <= 2


@pytest.mark.parametrize("kind", ["JPEG", "TIFF"])
def test_cmyk_files_come_out_in_their_colours(kind: str) -> None:
    picture = load(encode(plain("RGB", RED).convert("CMYK"), kind))
    assert np.abs(picture.pixels.astype(int) - RED).max() <= 3


def test_black_and_white_stays_black_and_white() -> None:
    image = plain("1", 0)
    image.paste(1, (0, 0, 20, 40))
    pixels = load(encode(image, "PNG")).pixels
    assert pixels[:, :20].min() == 255
    assert pixels[:, 20:].max() == 0


@pytest.mark.parametrize("channels", [1, 2, 3, 4])
def test_sixteen_bit_png_is_scaled_and_not_clipped(channels: int) -> None:
    ramp = np.tile(np.linspace(0, 65535, 64), (40, 1)).astype(np.uint16)
    samples = np.repeat(ramp[:, :, None], channels, axis=2)
    if channels in (2, 4):
        samples[:, :, -1] = 65535
    assert np.abs(load(png16(samples)).pixels - (ramp / 257)[:, :, None]).max() <= 1


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("channels", [1, 3])
def test_sixteen_bit_tiff_is_scaled_and_not_clipped(channels: int, order: str) -> None:
    ramp = np.tile(np.linspace(0, 65535, 64), (40, 1)).astype(np.uint16)
    samples = ramp if channels == 1 else np.repeat(ramp[:, :, None], 3, axis=2)
    data = tiff(samples, byteorder=order, photometric="minisblack" if channels == 1 else "rgb")
    assert np.abs(load(data).pixels - (ramp / 257)[:, :, None]).max() <= 1


def test_the_transparent_value_of_a_sixteen_bit_png_becomes_white() -> None:
    samples = np.full((40, 40, 1), 300, np.uint16)
    assert load(png16(samples, chunk(b"tRNS", struct.pack(">H", 300)))).pixels.min() == 255


def test_float_tiff_goes_from_black_at_zero_to_white_at_one() -> None:
    ramp = np.tile(np.linspace(0, 1, 64, dtype=np.float32), (40, 1))
    assert np.abs(load(tiff(ramp)).pixels - (ramp * 255)[:, :, None]).max() <= 0.51


@pytest.mark.parametrize(
    "samples", [np.full((40, 40), 2.0, np.float32), np.full((40, 40), 1 << 20, np.int32)]
)
def test_samples_without_an_agreed_white_are_refused(samples: np.ndarray) -> None:
    with pytest.raises(UnreadableImageError, match="samples from"):
        load(tiff(samples))


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP", "AVIF", "TIFF"])
def test_an_embedded_profile_is_applied(kind: str) -> None:
    picture = load(encode(gradient(), kind, icc_profile=swapped_profile()))
    assert np.abs(picture.pixels.astype(float) - gradient()[:, :, ::-1]).mean() < 4


def test_profile_and_transparency_work_together() -> None:
    picture = load(encode(plain("RGBA", (*RED, 128)), "PNG", icc_profile=swapped_profile()))
    assert np.abs(picture.pixels[0, 0].astype(int) - PINK[::-1]).max() <= 1


def test_a_grey_profile_is_applied_to_a_grey_picture() -> None:
    assert load(encode(plain("L", 100), "PNG", icc_profile=grey_profile())).pixels[0, 0, 0] > 150


def test_a_picture_in_srgb_is_left_as_it_is() -> None:
    assert build_transform(srgb_profile(), "RGB") is None
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.array_equal(load(encode(gradient(), "PNG", icc_profile=srgb_profile())).pixels, gradient())
        assert load(encode(plain("L", 100), "PNG", icc_profile=srgb_profile())).pixels.max() == 100


@pytest.mark.parametrize("profile", [b"rubbish" * 30, srgb_profile()[:200], grey_profile()])
def test_a_broken_profile_is_ignored_with_a_warning(profile: bytes) -> None:
    with pytest.warns(UserWarning, match="colour profile ignored"):
        picture = load(encode(gradient(), "PNG", icc_profile=profile))
    assert np.array_equal(picture.pixels, gradient())
