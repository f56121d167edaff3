"""Decisions: p-values that agree with scipy far into the tail, thresholds that invert them, and what they refuse."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from tiacam.watermark import Decision, agreement_p_value, agreement_threshold


@given(st.floats(2, 2048), st.floats(-0.999, 0.999))
def test_the_p_value_is_that_of_a_random_direction(dimensions: float, correlation: float) -> None:
    half = (dimensions - 1) / 2  # (1 - cosine) / 2 of a random direction is Beta(half, half)
    wanted = stats.beta.cdf((1 - correlation) / 2, half, half)
    if wanted > 1e-290:
        assert Decision(dimensions).p_value(correlation) == pytest.approx(wanted, rel=1e-9)


@pytest.mark.parametrize("dimensions", [64.0, 136.3, 512.0, 1024.0])
@pytest.mark.parametrize("correlation", [0.1, 0.3, 0.5, 0.7, 0.9, 0.99, 1 - 1e-9])
def test_the_far_tail_is_exact(dimensions: float, correlation: float) -> None:
    half = (dimensions - 1) / 2
    wanted = float(stats.beta.cdf((1 - correlation) / 2, half, half))
    found = Decision(dimensions).p_value(correlation)
    if wanted > 1e-290:
        assert found == pytest.approx(wanted, rel=1e-9)
    else:
        assert found < 1e-280


def test_three_dimensions_have_the_formula_of_the_sphere() -> None:
    for correlation in (-0.9, -0.2, 0.0, 0.4, 0.95):
        assert Decision(3).p_value(correlation) == pytest.approx((1 - correlation) / 2, rel=1e-12)


@pytest.mark.parametrize("compared", [1, 30, 100, 512, 1024])
def test_agreeing_bits_have_the_binomial_tail(compared: int) -> None:
    for agreeing in sorted({0, 1, compared // 2, compared * 3 // 4, compared}):
        wanted = stats.binom.sf(agreeing - 1, compared, 0.5)
        assert agreement_p_value(agreeing, compared) == pytest.approx(wanted, rel=1e-9)


@given(st.floats(8, 1024), st.integers(1, 10**9), st.floats(1e-12, 0.9))
def test_the_threshold_inverts_the_p_value(dimensions: float, trials: int, rate: float) -> None:
    decision = Decision(dimensions, rate)
    threshold = decision.threshold(trials)
    if threshold < 1 - 1e-9:
        assert decision.p_value(threshold, trials) == pytest.approx(rate, rel=1e-6)
        assert decision.accepts(threshold, trials)
        assert not decision.accepts(threshold - 1e-6, trials)


@pytest.mark.parametrize("compared", [30, 100, 200, 512])
@pytest.mark.parametrize("trials", [1, 1000])
def test_the_bit_threshold_is_the_first_accepted_count(compared: int, trials: int) -> None:
    threshold = agreement_threshold(compared, trials)
    assert agreement_p_value(threshold, compared, trials) <= 1e-6
    assert agreement_p_value(threshold - 1, compared, trials) > 1e-6


def test_few_bits_can_prove_nothing() -> None:
    assert agreement_threshold(10) == 11


@given(st.floats(0, 0.9), st.integers(1, 10**6))
def test_every_trial_multiplies_the_p_value_up_to_one(correlation: float, trials: int) -> None:
    decision = Decision(128)
    assert decision.p_value(correlation, trials) == min(1.0, trials * decision.p_value(correlation))
    assert agreement_p_value(70, 100, trials) == min(1.0, trials * agreement_p_value(70, 100))


def test_p_values_of_random_directions_are_uniform() -> None:
    rng = np.random.default_rng(1)
    vectors = rng.standard_normal((20_000, 64))
    correlations = vectors[:, 0] / np.linalg.norm(vectors, axis=1)
    decision = Decision(64)
    found = [decision.p_value(float(value)) for value in correlations]
    assert stats.kstest(found, "uniform").pvalue > 0.01


def test_more_agreement_is_never_less_sure() -> None:
    decision = Decision(136.3)
    values = [decision.p_value(float(correlation)) for correlation in np.linspace(-1, 1, 2001)]
    assert values == sorted(values, reverse=True)
    assert (values[0], values[-1]) == (1.0, 0.0)


@pytest.mark.parametrize("dimensions", [1.9, 0, -5, math.nan, math.inf])
def test_a_null_without_dimensions_is_refused(dimensions: float) -> None:
    with pytest.raises(ValueError, match="dimensions"):
        Decision(dimensions)


@pytest.mark.parametrize("rate", [0, 1, -1e-6, 2, math.nan])
def test_a_rate_that_is_no_probability_is_refused(rate: float) -> None:
    with pytest.raises(ValueError, match="false-claim rate"):
        Decision(100, rate)


@pytest.mark.parametrize("trials", [0, -1])
def test_no_comparison_has_no_p_value(trials: int) -> None:
    with pytest.raises(ValueError, match="trials"):
        Decision(100).p_value(0.5, trials)
    with pytest.raises(ValueError, match="trials"):
        agreement_p_value(60, 100, trials)


@pytest.mark.parametrize(("agreeing", "compared"), [(11, 10), (-1, 10)])
def test_more_bits_than_compared_cannot_agree(agreeing: int, compared: int) -> None:
    with pytest.raises(ValueError, match="cannot agree"):
        agreement_p_value(agreeing, compared)


def test_a_correlation_that_is_no_number_is_never_accepted() -> None:
    assert not Decision(100).accepts(math.nan)
