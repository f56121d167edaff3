"""What is measured, as pure functions of arrays, and how sure each number is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tiacam.watermark.decision import incomplete_beta

CONFIDENCE = 0.95
RESAMPLES = 1000
PAIR_RESAMPLES = 200  # of whole rows of a matrix of pairs, which cost a thousand times more

Floats = NDArray[np.floating[Any]]
Bits = NDArray[np.integer[Any]]


@dataclass(frozen=True)
class Estimate:
    """A number and its 95 % interval; None where the sample says nothing about how far off it may be."""

    value: float
    low: float | None
    high: float | None


@dataclass(frozen=True)
class CosineSummary:
    """Cosines of pictures with their attacked selves, and of attacked pictures with all the other pictures."""

    genuine_mean: Estimate
    genuine_p5: Estimate
    impostor_mean: Estimate
    impostor_p999: Estimate
    impostor_max: Estimate  # without interval: resampling cannot show what lies beyond the largest


def summarise_cosines(original: Floats, attacked: Floats, seed: int) -> CosineSummary:
    """Both sides from unit features (N, D) of the same N pictures, N at least 2."""
    genuine, impostor = genuine_cosines(original, attacked), impostor_cosines(original, attacked)
    return CosineSummary(
        genuine_mean=bootstrap(genuine, np.mean, seed),
        genuine_p5=bootstrap(genuine, lambda sample: np.percentile(sample, 5), seed),
        impostor_mean=bootstrap(impostor.mean(axis=1), np.mean, seed),
        impostor_p999=bootstrap(impostor, lambda rows: np.percentile(rows, 99.9), seed, PAIR_RESAMPLES),
        impostor_max=Estimate(float(impostor.max()), None, None),
    )


def genuine_cosines(original: Floats, attacked: Floats) -> Floats:
    """Of every picture with its attacked self (N,)."""
    cosines: Floats = np.einsum("nd,nd->n", original, attacked)
    return cosines


def impostor_cosines(original: Floats, attacked: Floats) -> Floats:
    """Of every attacked picture with all the other originals (N, N - 1)."""
    count = len(original)
    cosines: Floats = attacked @ original.T  # (N, N)
    return cosines[~np.eye(count, dtype=bool)].reshape(count, count - 1)


def bit_accuracy(read: Bits, written: Bits) -> Floats:
    """Share of the bits (N, K) that came back, for every picture (N,)."""
    share: Floats = np.mean(read == written, axis=1)
    return share


def exact_recovery(read: Bits, written: Bits) -> Floats:
    """1 where all bits (N, K) of a picture came back, 0 elsewhere (N,)."""
    return np.asarray(np.all(read == written, axis=1), np.float64)


def estimate_mean(values: Floats, seed: int) -> Estimate:
    """The mean over pictures with its bootstrap interval."""
    return bootstrap(values, np.mean, seed)


def estimate_rate(outcomes: Floats) -> Estimate:
    """The share of successes among N pictures with its Clopper-Pearson interval.

    An outcome between 0 and 1 is the mean of several attacks on one picture, which count as one trial: they are not
    independent.
    """
    successes, trials = float(np.sum(outcomes)), len(outcomes)
    low, high = clopper_pearson(successes, trials)
    return Estimate(successes / trials, low, high)


def false_claim_rate(claims: float, lookups: int) -> Estimate:
    """The share of look-ups of unregistered pictures that claimed a record; `high` is the one-sided 95 % bound."""
    _, high = clopper_pearson(claims, lookups, 2 * CONFIDENCE - 1)
    return Estimate(claims / lookups, 0.0, high)


def clopper_pearson(successes: float, trials: int, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """The exact interval of a rate: both tails of the binomial distribution are beta functions of it."""
    if not 0 <= successes <= trials or trials < 1:
        raise ValueError(f"{successes} successes of {trials} trials are no rate")
    tail, failures = (1 - confidence) / 2, trials - successes
    low = beta_quantile(tail, successes, failures + 1) if successes else 0.0
    high = beta_quantile(1 - tail, successes + 1, failures) if failures else 1.0
    return low, high


def beta_quantile(probability: float, a: float, b: float) -> float:
    """x with I_x(a, b) = probability, by bisection."""
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if incomplete_beta(a, b, middle) < probability else (low, middle)
    return (low + high) / 2


def bootstrap(
    sample: Floats, statistic: Callable[[Floats], Any], seed: int, resamples: int = RESAMPLES
) -> Estimate:
    """A statistic of the sample, and the percentile interval over resamples of its first axis."""
    rng = np.random.default_rng(seed)
    count = len(sample)
    drawn = [float(statistic(sample[rng.integers(count, size=count)])) for _ in range(resamples)]
    tail = 50 * (1 - CONFIDENCE)
    low, high = np.percentile(drawn, [tail, 100 - tail])
    return Estimate(float(statistic(sample)), float(low), float(high))
