"""Keyed directions: orthonormal, repeatable with the key alone, for features of any width."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from watermark_samples import OTHER_SECRET, SECRET, draw_feature

from tiacam.watermark.rotation import directions_for, rotate, transform

SALT = bytes(16)


@settings(max_examples=40)
@given(st.integers(8, 1500), st.integers(0, 2**32))
def test_lengths_and_inner_products_survive(width: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    size = directions_for(width)
    one, two = draw_feature(rng, width), draw_feature(rng, width)
    turned = [rotate(feature, size, SECRET, SALT) for feature in (one, two)]
    assert all(vector.shape == (size,) and vector.dtype == np.float32 for vector in turned)
    assert turned[0] @ turned[0] == pytest.approx(size, rel=1e-5)
    assert turned[0] @ turned[1] / size == pytest.approx(float(one @ two), abs=1e-5)


@pytest.mark.parametrize(("width", "size"), [(8, 8), (9, 16), (512, 512), (513, 1024), (1500, 2048)])
def test_directions_are_the_next_power_of_two(width: int, size: int) -> None:
    assert directions_for(width) == size


def test_the_scale_of_a_feature_does_not_matter() -> None:
    feature = draw_feature(np.random.default_rng(1))
    assert rotate(22.5 * feature, 512, SECRET, SALT) == pytest.approx(
        rotate(feature, 512, SECRET, SALT), abs=1e-5
    )


def test_the_same_key_and_salt_give_the_same_directions() -> None:
    feature = draw_feature(np.random.default_rng(2))
    assert np.array_equal(rotate(feature, 512, SECRET, SALT), rotate(feature, 512, SECRET, SALT))


@pytest.mark.parametrize(("secret", "salt"), [(OTHER_SECRET, SALT), (SECRET, bytes(15) + b"\1")])
def test_another_key_or_salt_gives_unrelated_directions(secret: bytes, salt: bytes) -> None:
    feature = draw_feature(np.random.default_rng(3))
    cosine = rotate(feature, 512, SECRET, SALT) @ rotate(feature, 512, secret, salt) / 512
    assert abs(cosine) < 5 / np.sqrt(512)


def test_a_single_axis_is_spread_over_all_directions_like_noise() -> None:
    axis = np.eye(512, dtype=np.float32)[0]
    projected = rotate(axis, 512, SECRET, SALT)
    assert np.abs(projected).max() < 5
    assert np.mean(projected**4) == pytest.approx(3, abs=0.8)  # of a normal distribution


@pytest.mark.parametrize("size", [8, 32, 512])
def test_the_transform_is_its_own_inverse(size: int) -> None:
    vector = draw_feature(np.random.default_rng(4), size)
    assert transform(transform(vector)) == pytest.approx(vector, abs=1e-6)
