"""Metrics equal what a hand computes, and intervals hold what they promise."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import beta

from tiacam.evaluate.metrics import (
    bit_accuracy,
    bootstrap,
    clopper_pearson,
    estimate_mean,
    estimate_rate,
    exact_recovery,
    false_claim_rate,
    genuine_cosines,
    impostor_cosines,
    summarise_cosines,
)

ORIGINAL = np.array([[1.0, 0.0], [0.0, 1.0], [0.6, 0.8]])
ATTACKED = np.array([[0.8, 0.6], [0.0, 1.0], [1.0, 0.0]])


def test_genuine_cosines_pair_a_picture_with_itself() -> None:
    assert genuine_cosines(ORIGINAL, ATTACKED) == pytest.approx([0.8, 1.0, 0.6])


def test_impostor_cosines_are_those_with_all_the_others() -> None:
    expected = [[0.6, 0.96], [0.0, 0.8], [1.0, 0.0]]
    assert impostor_cosines(ORIGINAL, ATTACKED) == pytest.approx(np.array(expected))


def test_the_summary_shows_both_sides() -> None:
    summary = summarise_cosines(ORIGINAL, ATTACKED, seed=0)
    assert summary.genuine_mean.value == pytest.approx(0.8)
    assert summary.genuine_p5.value == pytest.approx(0.62)  # a tenth of the way from 0.6 to 0.8
    assert summary.impostor_mean.value == pytest.approx(0.56)
    assert summary.impostor_p999.value == pytest.approx(0.96 + 0.995 * 0.04)
    assert summary.impostor_max.value == pytest.approx(1.0)
    assert summary.impostor_max.high is None


def test_bit_accuracy_counts_bits_and_exact_recovery_whole_messages() -> None:
    written = np.array([[0, 1, 1, 0], [1, 1, 1, 1]])
    read = np.array([[0, 1, 1, 0], [1, 0, 1, 1]])
    assert bit_accuracy(read, written).tolist() == [1.0, 0.75]
    assert exact_recovery(read, written).tolist() == [1.0, 0.0]


def test_no_success_and_no_failure_have_their_closed_forms() -> None:
    assert clopper_pearson(0, 10) == pytest.approx((0.0, 1 - 0.025**0.1))
    assert clopper_pearson(10, 10) == pytest.approx((0.025**0.1, 1.0))


@pytest.mark.parametrize(("successes", "trials"), [(5, 10), (1, 200), (199, 200), (37, 1000), (2.5, 8)])
def test_clopper_pearson_agrees_with_scipys_quantiles(successes: float, trials: int) -> None:
    failures = trials - successes
    expected = (beta.ppf(0.025, successes, failures + 1), beta.ppf(0.975, successes + 1, failures))
    assert clopper_pearson(successes, trials) == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize(("successes", "trials"), [(-1, 5), (6, 5), (0, 0)])
def test_impossible_rates_are_refused(successes: int, trials: int) -> None:
    with pytest.raises(ValueError, match="no rate"):
        clopper_pearson(successes, trials)


def test_a_rate_counts_several_attacks_on_a_picture_as_one_trial() -> None:
    rate = estimate_rate(np.array([1.0, 0.5, 0.5, 0.0]))
    assert rate.value == 0.5
    assert (rate.low, rate.high) == clopper_pearson(2, 4)


def test_without_a_false_claim_the_bound_is_the_rule_of_three() -> None:
    rate = false_claim_rate(0, 1000)
    assert (rate.value, rate.low) == (0.0, 0.0)
    assert rate.high == pytest.approx(1 - 0.05 ** (1 / 1000))
    assert rate.high == pytest.approx(3 / 1000, rel=0.01)


def test_the_bootstrap_of_a_mean_is_about_as_wide_as_its_standard_error() -> None:
    values = np.random.default_rng(1).normal(5, 2, 400)
    estimate = estimate_mean(values, seed=0)
    assert estimate.low is not None
    assert estimate.high is not None
    assert estimate.low < estimate.value < estimate.high
    assert estimate.high - estimate.low == pytest.approx(2 * 1.96 * 2 / math.sqrt(400), rel=0.15)


def test_the_same_seed_gives_the_same_interval_and_another_seed_another() -> None:
    values = np.arange(50.0)
    assert bootstrap(values, np.median, 1) == bootstrap(values, np.median, 1)
    assert bootstrap(values, np.mean, 1) != bootstrap(values, np.mean, 2)
