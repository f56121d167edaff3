"""Metrics equal what a hand computes, and intervals hold what they promise."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import beta

from tiacam.evaluate.metrics import (
    accepted_at,
    bit_accuracy,
    bootstrap,
    bootstrap_groups,
    by_picture,
    clopper_pearson,
    estimate_mean,
    estimate_rate,
    exact_recovery,
    false_claim_rate,
    split_cosines,
    summarise_cosines,
    top_one,
)

ORIGINAL = np.array([[1.0, 0.0], [0.0, 1.0], [0.6, 0.8]])
ATTACKED = np.array([[0.8, 0.6], [0.0, 1.0], [1.0, 0.0]])


def test_cosines_are_split_into_those_with_the_own_record_and_with_the_others() -> None:
    genuine, impostor = split_cosines(ATTACKED @ ORIGINAL.T, np.arange(3))
    assert genuine == pytest.approx([0.8, 1.0, 0.6])
    assert impostor == pytest.approx(np.array([[0.6, 0.96], [0.0, 0.8], [1.0, 0.0]]))


def test_top_one_asks_whether_the_own_record_is_nearest() -> None:
    assert top_one(ATTACKED @ ORIGINAL.T, np.arange(3)).tolist() == [0.0, 1.0, 0.0]


def test_the_accepted_share_is_that_above_the_threshold_which_lets_so_many_impostors_pass() -> None:
    impostor = np.linspace(0, 0.99, 100)
    genuine = np.array([0.5, 0.885, 0.895, 1.0])
    assert accepted_at(genuine, impostor, 0.1).tolist() == [0, 0, 1, 1]  # ten impostors lie above 0.89
    assert accepted_at(genuine, impostor, 0.001).tolist() == [0, 0, 0, 1]
    assert accepted_at(genuine, impostor, 1.0).tolist() == [1, 1, 1, 1]


def test_photos_of_one_picture_count_as_one_trial() -> None:
    outcomes, owners = np.array([1.0, 0.0, 1.0, 1.0]), np.array([7, 7, 2, 7])
    assert by_picture(outcomes, owners).tolist() == pytest.approx([1.0, 2 / 3])


def test_drawing_whole_pictures_widens_the_interval_of_photos_that_are_alike() -> None:
    rng = np.random.default_rng(0)
    owners = np.repeat(np.arange(40), 10)
    values = np.repeat(rng.normal(size=40), 10)  # the ten photos of a picture say the same
    together = bootstrap_groups(values, owners, np.mean, seed=1)
    alone = bootstrap(values, np.mean, seed=1)
    assert together.high is not None
    assert together.low is not None
    assert alone.high is not None
    assert alone.low is not None
    assert together.value == alone.value
    assert together.high - together.low > 2.5 * (alone.high - alone.low)


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
