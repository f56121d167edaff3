"""When a reading becomes a claim: p-values, thresholds, and the price of every further look.

Under the null hypothesis the photo shows a picture that is unrelated to the record. Whitened features of
unrelated pictures are then as good as random directions of a space with `dimensions` effective dimensions, a
number that the model card carries because it is measured, with real pictures, at the far tail. Look-alikes
are another matter: how often they are told apart is measured and published, not derived.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

FALSE_CLAIM_RATE = 1e-6


@dataclass(frozen=True)
class Decision:
    """The test that turns a correlation into accepted or not, at a stated false-claim rate per look-up."""

    dimensions: float
    false_claim_rate: float = FALSE_CLAIM_RATE

    def __post_init__(self) -> None:
        if not 2 <= self.dimensions < math.inf:
            raise ValueError(f"a null of {self.dimensions} dimensions is no test, wanted at least 2")
        if not 0 < self.false_claim_rate < 1:
            raise ValueError(f"false-claim rate is {self.false_claim_rate}, wanted a number between 0 and 1")

    def p_value(self, correlation: float, trials: int = 1) -> float:
        """Probability that any of `trials` unrelated comparisons correlates at least this much (Bonferroni)."""
        return bonferroni(random_direction_tail(correlation, self.dimensions), trials)

    def joint_p_value(self, correlation: float, other: float, trials: int = 1) -> float:
        """The same where another test, independent under the null, gave the p-value `other` (Fisher's method)."""
        return bonferroni(fisher(random_direction_tail(correlation, self.dimensions), other), trials)

    def accepts(self, correlation: float, trials: int = 1) -> bool:
        return self.p_value(correlation, trials) <= self.false_claim_rate

    def threshold(self, trials: int = 1) -> float:
        """The smallest correlation that is accepted after `trials` comparisons."""
        low, high = -1.0, 1.0
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (low, middle) if self.accepts(middle, trials) else (middle, high)
        return high


def random_direction_tail(correlation: float, dimensions: float) -> float:
    """P(cosine ≥ correlation) for a uniformly random direction: (1 - cosine) / 2 is then beta distributed."""
    half = (dimensions - 1) / 2
    return incomplete_beta(half, half, (1 - correlation) / 2)


def fisher(first: float, second: float) -> float:
    """The p-value of two independent ones together: P(product of two uniform numbers ≤ their product)."""
    product = first * second
    return product * (1 - math.log(product)) if product > 0 else 0.0


def bonferroni(p_value: float, trials: int) -> float:
    """The bound on the probability that any of `trials` tests comes out so by chance."""
    if trials < 1:
        raise ValueError(f"{trials} trials, wanted at least one: without a comparison there is no p-value")
    return min(1.0, trials * p_value)


def agreement_p_value(agreeing: int, compared: int, trials: int = 1) -> float:
    """P(at least `agreeing` of `compared` fair coins agree), times the number of trials: the test on bare bits."""
    if not 0 <= agreeing <= compared:
        raise ValueError(f"{agreeing} of {compared} bits cannot agree")
    return bonferroni(incomplete_beta(agreeing, compared - agreeing + 1, 0.5) if agreeing else 1.0, trials)


def agreement_threshold(compared: int, trials: int = 1, false_claim_rate: float = FALSE_CLAIM_RATE) -> int:
    """The smallest number of agreeing bits that is accepted; compared + 1 if no number is."""
    accepted = (n for n in range(compared + 1) if agreement_p_value(n, compared, trials) <= false_claim_rate)
    return next(accepted, compared + 1)


def incomplete_beta(a: float, b: float, x: float) -> float:
    """Regularised incomplete beta function I_x(a, b), accurate in the far tail."""
    if x <= 0 or x >= 1:
        return 0.0 if x <= 0 else 1.0
    front = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    if x < (a + 1) / (a + b + 2):
        return math.exp(front) * _beta_fraction(a, b, x) / a
    return 1.0 - math.exp(front) * _beta_fraction(b, a, 1 - x) / b


def _beta_fraction(a: float, b: float, x: float) -> float:
    """The continued fraction of I_x(a, b) by Lentz's method."""
    tiny = 1e-300
    c, d = 1.0, 1 / _away_from_zero(1 - (a + b) * x / (a + 1), tiny)
    value = d
    for m in range(1, 10_000):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for step in (even, odd):
            d = 1 / _away_from_zero(1 + step * d, tiny)
            c = _away_from_zero(1 + step / c, tiny)
            value *= c * d
        if abs(c * d - 1) < 1e-14:
            break
    return value


def _away_from_zero(value: float, tiny: float) -> float:
    return value if abs(value) > tiny else tiny
