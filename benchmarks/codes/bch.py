"""Binary BCH code under hard decisions (galois), the baseline that uses neither reliability nor magnitude."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import galois
import numpy as np
from scipy.stats import binom

from .channel import Bits, Floats

# Dimension and correctable errors of the primitive BCH code, one shorter than n, nearest to each seed length.
CODES = {
    (512, 40): (40, 95), (512, 48): (49, 93), (512, 56): (58, 91), (512, 64): (67, 87),
    (256, 40): (45, 43), (256, 48): (47, 42), (256, 56): (55, 31), (256, 64): (63, 30),
}  # fmt: skip


@dataclass(frozen=True)
class HardBch:
    """A BCH code on the first n - 1 coordinates; `k` is its own dimension."""

    n: int
    seed_bits: int

    @property
    def k(self) -> int:
        return CODES[self.n, self.seed_bits][0]

    @property
    def correctable(self) -> int:
        return CODES[self.n, self.seed_bits][1]

    @cached_property
    def code(self) -> galois.BCH:
        code = galois.BCH(self.n - 1, self.k)
        assert code.t == self.correctable
        return code

    def encode(self, seeds: Bits) -> Bits:
        """Codewords (T, n) of seeds (T, k); the last coordinate is unused."""
        words = np.asarray(self.code.encode(galois.GF2(seeds)), np.uint8)
        return np.concatenate([words, np.zeros((len(words), 1), np.uint8)], axis=1)

    def decode(self, soft: Floats, keep: int = 8) -> Bits:
        """One seed a trial, (T, 1, k); a bounded-distance decoder has no list."""
        assert keep > 0
        hard = galois.GF2((soft[:, :-1] < 0).astype(np.uint8))
        return np.asarray(self.code.decode(hard), np.uint8)[:, None, :]

    def recovery(self, cosine: float) -> float:
        """Exact recovery rate: at most t of n - 1 signs are wrong, each with probability arccos(c)/pi."""
        return float(binom.cdf(self.correctable, self.n - 1, np.arccos(min(cosine, 1.0)) / np.pi))
