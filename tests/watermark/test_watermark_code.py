"""The polar code: linear, exact without noise, and near the limit with it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tiacam.watermark.code import LISTED, PolarCode, free_positions, polar_code, polar_transform

codes = st.sampled_from([8, 16, 64, 128, 512, 1024]).flatmap(
    lambda n: st.tuples(st.just(n), st.integers(1, min(n, 64)))
)
seeds = st.integers(0, 2**64 - 1)


def clean(code: PolarCode, seed: int) -> np.ndarray:
    return 1 - 2 * code.encode(seed).astype(np.float32)


@settings(max_examples=60)
@given(codes, seeds)
def test_a_codeword_without_noise_decodes_to_its_seed(shape: tuple[int, int], seed: int) -> None:
    code = polar_code(*shape)
    seed %= 1 << code.dimension
    assert code.decode(clean(code, seed))[0] == seed


@settings(max_examples=60)
@given(codes, seeds, seeds)
def test_encoding_is_linear(shape: tuple[int, int], one: int, two: int) -> None:
    code = polar_code(*shape)
    one, two = one % (1 << code.dimension), two % (1 << code.dimension)
    assert np.array_equal(code.encode(one ^ two), code.encode(one) ^ code.encode(two))


@settings(max_examples=60)
@given(st.integers(0, 10), seeds)
def test_the_transform_is_the_textbook_matrix_and_its_own_inverse(log: int, seed: int) -> None:
    rows = np.random.default_rng(seed).integers(0, 2, (3, 1 << log), dtype=np.uint8)
    matrix = np.ones((1, 1), int)
    for _ in range(log):
        matrix = np.kron([[1, 0], [1, 1]], matrix)
    assert np.array_equal(polar_transform(rows), rows @ matrix % 2)
    assert np.array_equal(polar_transform(polar_transform(rows)), rows)


@pytest.mark.parametrize("flipped", [60, 90, 110])
def test_flipped_signs_are_corrected_when_they_are_the_weak_ones(flipped: int) -> None:
    rng = np.random.default_rng(flipped)
    code = polar_code(512, 48)
    soft = clean(code, 0x1234_5678_9ABC) * rng.uniform(0.5, 1.5, 512).astype(np.float32)
    weakest = np.argsort(np.abs(soft))[:flipped]
    soft[weakest] *= -1
    assert code.decode(soft)[0] == 0x1234_5678_9ABC


def test_flipped_signs_at_random_places_are_corrected() -> None:
    rng = np.random.default_rng(5)
    code = polar_code(512, 48)
    for _ in range(50):
        seed = int(rng.integers(0, 1 << 48))
        soft = clean(code, seed)
        soft[rng.choice(512, 90, replace=False)] *= -1
        assert code.decode(soft)[0] == seed


def test_the_scale_of_the_soft_values_does_not_matter() -> None:
    rng = np.random.default_rng(6)
    code = polar_code(512, 48)
    soft = (clean(code, 99) + 1.5 * rng.standard_normal(512)).astype(np.float32)
    assert code.decode(soft) == code.decode(soft * np.float32(1024)) == code.decode(soft / np.float32(1024))


def test_seeds_are_listed_best_first_and_once() -> None:
    rng = np.random.default_rng(7)
    code = polar_code(256, 48)
    soft = rng.standard_normal(256).astype(np.float32)
    listed = code.decode(soft)
    agreement = [float(soft @ clean(code, seed)) for seed in listed]
    assert len(set(listed)) == len(listed) == LISTED
    assert agreement == sorted(agreement, reverse=True)


def test_the_best_of_all_seeds_is_found_where_all_can_be_tried() -> None:
    rng = np.random.default_rng(8)
    code = polar_code(64, 10)
    words = np.stack([clean(code, seed) for seed in range(1 << 10)])
    for _ in range(30):
        soft = (clean(code, 321) + 2 * rng.standard_normal(64)).astype(np.float32)
        assert code.decode(soft)[0] == int(np.argmax(words @ soft))


@pytest.mark.parametrize(("length", "dimension"), [(64, 48), (512, 48), (1024, 64)])
def test_as_many_positions_are_free_as_the_seed_has_bits(length: int, dimension: int) -> None:
    free = free_positions(length, dimension)
    assert free.sum() == dimension
    assert free[-1]  # the most reliable position of a polar code
    assert not free[0]  # and the least


@pytest.mark.parametrize("shape", [(500, 48), (32, 48), (512, 65), (512, 0)])
def test_a_code_that_cannot_be_is_not_made(shape: tuple[int, int]) -> None:
    with pytest.raises(AssertionError):
        PolarCode(*shape)
