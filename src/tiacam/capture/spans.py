"""Ranges to draw random parameters from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

T = TypeVar("T")


@dataclass(frozen=True)
class Span:
    """An interval; one uniform number is used whatever its width, so that seeds line up between strengths."""

    low: float
    high: float

    def __post_init__(self) -> None:
        if not self.low <= self.high:
            raise ValueError(f"span from {self.low} to {self.high} is empty")

    def draw(self, rng: np.random.Generator) -> float:
        return float(self.low + (self.high - self.low) * rng.random())

    def part(self, share: Span) -> Span:
        """The part of this span between two shares of it, 0 its low and 1 its high end."""
        width = self.high - self.low
        return Span(self.low + width * share.low, self.low + width * share.high)


WHOLE = Span(0.0, 1.0)


def happens(rng: np.random.Generator, probability: float, luck: Span = WHOLE) -> bool:
    """Luck under the middle makes it likelier than its probability, over the middle less likely."""
    return luck.draw(rng) < probability


def pick(rng: np.random.Generator, choices: Sequence[T], weights: Sequence[float] | None = None) -> T:
    """One of the choices, by weight where weights are given; uses one uniform number."""
    shares = np.cumsum(np.ones(len(choices)) if weights is None else np.asarray(weights, float))
    return choices[int(np.searchsorted(shares, rng.random() * shares[-1], side="right"))]


def draw_seed(rng: np.random.Generator) -> int:
    """A seed for what is generated while applying (noise, textures), so that parameters replay it."""
    return int(rng.integers(2**31))


def draw_margins(span: Span, rng: np.random.Generator) -> tuple[float, float, float, float]:
    """Left, above, right, below; a span that begins below 0 leaves some sides without any."""
    return tuple(max(0.0, span.draw(rng)) for _ in range(4))  # type: ignore[return-value]
