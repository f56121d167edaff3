"""Exact-recovery rates: seeds committed, probed at a cosine and decoded, with intervals and times."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from scipy.stats import beta

from .channel import Bits, Floats, draw, soften, soften_exactly

CANDIDATES = 8  # seeds that the authenticated decryption may be asked about
CHUNK = 20  # words decoded together: enough to be fast, few enough to stay in cache


class Code(Protocol):
    """A code of n coordinates and k seed bits with a list decoder."""

    @property
    def n(self) -> int: ...
    @property
    def k(self) -> int: ...
    def encode(self, seeds: Bits) -> Bits: ...
    def decode(self, soft: Floats, keep: int = CANDIDATES) -> Bits: ...


@dataclass(frozen=True)
class Rate:
    """Successes among trials with the exact (Clopper-Pearson) 95% interval."""

    successes: int
    trials: int

    @property
    def value(self) -> float:
        return self.successes / self.trials

    @property
    def low(self) -> float:
        return (
            float(beta.ppf(0.025, self.successes, self.trials - self.successes + 1))
            if self.successes
            else 0.0
        )

    @property
    def high(self) -> float:
        failures = self.trials - self.successes
        return float(beta.ppf(0.975, self.successes + 1, failures)) if failures else 1.0


@dataclass(frozen=True)
class Recovery:
    """How often the right seed was among the candidates, and how often it was the first."""

    listed: Rate
    first: Rate


def recover(
    code: Code, cosine: float, levels: int, trials: int, seed: int, *, told: bool = False
) -> Recovery:
    """Commit random seeds and decode probes; codes of one length and dimension share their draws.

    A decoder that is `told` the cosine gets true likelihood ratios instead of values proportional to them.
    """
    rng = np.random.default_rng([seed, code.n, code.k, round(1000 * cosine)])
    listed = first = done = 0
    while done < trials:
        size = min(CHUNK, trials - done)
        seeds = rng.integers(0, 2, (size, code.k), dtype=np.uint8)
        trial, words = draw(rng, size, code.n, cosine), code.encode(seeds)
        soft = soften_exactly(trial, words, levels, cosine) if told else soften(trial, words, levels)
        right = (code.decode(soft) == seeds[:, None, :]).all(axis=2)
        listed, first, done = (
            listed + int(right.any(axis=1).sum()),
            first + int(right[:, 0].sum()),
            done + size,
        )
    return Recovery(Rate(listed, trials), Rate(first, trials))


def compare_times(code: Code, reference: Code, batch: int, rounds: int, seed: int) -> float:
    """Time of one word, `batch` decoded together, in decodes of one word by the reference.

    Median over rounds that time both in turn, in processor time: a busy machine slows both alike.
    """
    words, word = received(code, batch, seed), received(reference, 1, seed)
    code.decode(words)
    return float(
        np.median([time_once(code, words) / batch / time_once(reference, word) for _ in range(rounds)])
    )


def received(code: Code, count: int, seed: int, cosine: float = 0.9) -> Floats:
    """Soft values of some random seeds' codewords."""
    rng = np.random.default_rng(seed)
    seeds = rng.integers(0, 2, (count, code.k), dtype=np.uint8)
    return soften(draw(rng, count, code.n, cosine), code.encode(seeds), 4)


def time_once(code: Code, soft: Floats) -> float:
    """Processor time of one call."""
    begin = time.process_time()
    code.decode(soft)
    return time.process_time() - begin
