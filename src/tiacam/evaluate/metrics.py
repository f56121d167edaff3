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
Indices = NDArray[np.integer[Any]]


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
    owners = np.arange(len(original))
    return summarise_photos(attacked @ original.T, owners, seed)


def summarise_photos(cosines: Floats, owners: Indices, seed: int) -> CosineSummary:
    """Both sides from the cosines (Q, R) of photos with records; photos of one picture are resampled together."""
    genuine, impostor = split_cosines(cosines, owners)
    return CosineSummary(
        genuine_mean=bootstrap_groups(genuine, owners, np.mean, seed),
        genuine_p5=bootstrap_groups(genuine, owners, lambda sample: np.percentile(sample, 5), seed),
        impostor_mean=bootstrap_groups(impostor.mean(axis=1), owners, np.mean, seed),
        impostor_p999=bootstrap_groups(
            impostor, owners, lambda rows: np.percentile(rows, 99.9), seed, PAIR_RESAMPLES
        ),
        impostor_max=Estimate(float(impostor.max()), None, None),
    )


def split_cosines(cosines: Floats, owners: Indices) -> tuple[Floats, Floats]:
    """Of photos with records (Q, R): with their own record (Q,), and with all the others (Q, R - 1)."""
    count, records = cosines.shape
    own = np.zeros(cosines.shape, bool)
    own[np.arange(count), owners] = True
    return cosines[own], cosines[~own].reshape(count, records - 1)


def top_one(cosines: Floats, owners: Indices) -> Floats:
    """1 for every photo (Q, R) whose own record is the nearest."""
    return np.asarray(cosines.argmax(axis=1) == owners, np.float64)


def accepted_at(genuine: Floats, impostor: Floats, rate: float) -> Floats:
    """1 for every genuine score above the smallest threshold that lets at most this share of impostors pass."""
    ranked = np.sort(np.ravel(impostor))[::-1]
    allowed = int(np.floor(rate * len(ranked)))
    threshold = ranked[allowed] if allowed < len(ranked) else -np.inf
    return np.asarray(genuine > threshold, np.float64)


def by_picture(outcomes: Floats, owners: Indices) -> Floats:
    """The mean over the photos of each picture (P,): photos of one picture are no independent trials."""
    _, group = np.unique(owners, return_inverse=True)
    return np.asarray(np.bincount(group, outcomes) / np.bincount(group), np.float64)


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


def bootstrap_groups(
    sample: Floats,
    groups: Indices,
    statistic: Callable[[Floats], Any],
    seed: int,
    resamples: int = RESAMPLES,
) -> Estimate:
    """`bootstrap` that draws whole groups: all photos of a picture come together or not at all."""
    _, group = np.unique(groups, return_inverse=True)
    order = np.argsort(group, kind="stable")
    members = np.split(order, np.cumsum(np.bincount(group))[:-1])
    if len(members) == len(sample):
        return bootstrap(sample, statistic, seed, resamples)
    rng = np.random.default_rng(seed)
    drawn = []
    for _ in range(resamples):
        chosen = rng.integers(len(members), size=len(members))
        drawn.append(float(statistic(sample[np.concatenate([members[index] for index in chosen])])))
    tail = 50 * (1 - CONFIDENCE)
    low, high = np.percentile(drawn, [tail, 100 - tail])
    return Estimate(float(statistic(sample)), float(low), float(high))
