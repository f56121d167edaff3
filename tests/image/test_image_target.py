"""Decoding JPEGs at reduced scale."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from picture_files import encode, gradient
from PIL import Image

from tiacam.image import load


@settings(max_examples=60, deadline=None)
@given(st.integers(32, 700), st.integers(32, 700), st.integers(-5, 400))
def test_no_side_falls_below_the_target(width: int, height: int, target: int) -> None:
    picture = load(encode(gradient(width, height), "JPEG"), target=target)
    assert picture.size == (width, height)
    assert min(picture.pixels.shape[:2]) >= min(width, height, target)
    assert min(picture.pixels.shape[:2]) >= 32


@pytest.mark.parametrize("mode", ["L", "RGB", "CMYK"])
def test_a_large_jpeg_is_reduced_in_every_mode(mode: str) -> None:
    data = encode(Image.fromarray(gradient(800, 600)).convert(mode), "JPEG")
    assert load(data, target=75).pixels.shape == (75, 100, 3)


def test_other_formats_are_decoded_in_full() -> None:
    assert load(encode(gradient(800, 600), "PNG"), target=75).pixels.shape == (600, 800, 3)


def test_a_twelve_megapixel_jpeg_is_decoded_at_an_eighth_of_its_sides_for_a_small_target() -> None:
    noise = np.random.default_rng(1).integers(0, 256, (300, 400, 3), dtype=np.uint8)
    data = encode(Image.fromarray(noise).resize((4000, 3000)), "JPEG", quality=90)
    assert load(data, target=224).pixels.shape == (375, 500, 3)
    assert load(data).pixels.shape == (3000, 4000, 3)
