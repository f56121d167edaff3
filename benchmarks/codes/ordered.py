"""Random linear code under ordered-statistics decoding, with a deeper third order and with biased restarts."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from .channel import Bits, Floats

Words = NDArray[np.uint64]
Rows = NDArray[np.float32]
Candidates = list[tuple[float, int]]  # correlation lost against the base codeword, flipped basis bits

ONE = np.uint64(1)


@dataclass(frozen=True)
class Basis:
    """The code made systematic in its most reliable positions, those in `order` at `positions`."""

    columns: Words
    order: NDArray[np.intp]
    positions: NDArray[np.intp]
    base: int


@dataclass(frozen=True)
class OrderedStatistics:
    """All patterns of two errors in the reliable basis, three among its `deep` weakest positions.

    Restarts order the positions by reliabilities perturbed at random, so that another basis is tried each time.
    """

    n: int
    k: int
    deep: int = 0
    restarts: int = 1
    bias: float = 0.2

    @cached_property
    def columns(self) -> Words:
        drawn = hashlib.shake_256(b"random linear %d %d" % (self.n, self.k)).digest(8 * (self.n - self.k))
        parity = np.frombuffer(drawn, "<u8").astype(np.uint64) & np.uint64((1 << self.k) - 1)
        return np.concatenate([ONE << np.arange(self.k, dtype=np.uint64), parity])

    def encode(self, seeds: Bits) -> Bits:
        """Codewords (T, n) of seeds (T, k)."""
        words = (seeds.astype(np.uint64) << np.arange(self.k, dtype=np.uint64)).sum(axis=1, dtype=np.uint64)
        return np.bitwise_count(self.columns & words[:, None]) & np.uint8(1)

    def decode(self, soft: Floats, keep: int = 8) -> Bits:
        """Best seeds first, (T, keep, k)."""
        rng = np.random.default_rng(0)
        words = np.array(
            [self.decode_one(values.astype(np.float32), keep, rng) for values in soft], np.uint64
        )
        return (words[:, :, None] >> np.arange(self.k, dtype=np.uint64) & ONE).astype(np.uint8)

    def decode_one(self, values: Rows, keep: int, rng: np.random.Generator) -> list[int]:
        """Seeds of one received word, from all restarts together."""
        found: dict[int, float] = {}
        for attempt in range(self.restarts):
            scale = np.exp(self.bias * rng.standard_normal(self.n)) if attempt else 1.0
            basis = self.reduce(np.argsort(-np.abs(values) * scale), values)
            weights = values[basis.order] * (1 - 2.0 * parities(basis.columns, basis.base)).astype(np.float32)
            total = float(weights.sum())
            found |= {
                self.seed_of(basis, flip): total - 2 * lost
                for lost, flip in self.search(basis, weights, keep)
            }
        return sorted(found, key=lambda word: -found[word])[:keep]

    def reduce(self, order: NDArray[np.intp], values: Rows) -> Basis:
        """Make the first k independent positions of an order systematic."""
        columns, positions = self.columns[order], np.empty(self.k, np.intp)
        used, index = 0, 0
        for _ in range(self.k):
            while not (free := int(columns[index]) & ~used):
                index += 1
            pivot = free & -free
            row = pivot.bit_length() - 1
            columns ^= (columns >> np.uint64(row) & ONE) * np.uint64(int(columns[index]) ^ pivot)
            used, positions[row] = used | pivot, index
        hard = np.flatnonzero(values[order[positions]] < 0)
        return Basis(columns, order, positions, sum(1 << int(bit) for bit in hard))

    def search(self, basis: Basis, weights: Rows, keep: int) -> Candidates:
        """The best flip patterns of the basis."""
        rows = (basis.columns >> np.arange(self.k, dtype=np.uint64)[:, None] & ONE).astype(np.float32)
        found = [(0.0, 0), *flip_two(rows, weights, keep)]
        if self.deep:
            weak = np.argsort(np.abs(weights[basis.positions]))[: self.deep]
            found += flip_three(rows[weak], weights, keep, weak)
        return sorted(found)[:keep]

    def seed_of(self, basis: Basis, flip: int) -> int:
        """The seed is the codeword's first k bits."""
        place = np.empty(self.n, np.intp)
        place[basis.order] = np.arange(self.n)
        bits = parities(basis.columns[place[: self.k]], basis.base ^ flip).astype(np.uint64)
        return int((bits << np.arange(self.k, dtype=np.uint64)).sum(dtype=np.uint64))


def parities(columns: Words, word: int) -> Bits:
    """Codeword bits at the given columns."""
    return np.bitwise_count(columns & np.uint64(word)) & np.uint8(1)


def flip_two(rows: Rows, weights: Rows, keep: int) -> Candidates:
    """One or two flips: losing both gives back what both share."""
    weighted = rows * weights
    single = weighted.sum(axis=1)
    lost = single[:, None] + single[None, :] - 2 * (weighted @ rows.T)  # (k, k)
    np.fill_diagonal(lost, single)
    lost[np.triu_indices(len(rows), 1)] = np.inf
    return [(float(lost[i, j]), 1 << int(i) | 1 << int(j)) for i, j in least(lost, keep)]


def flip_three(part: Rows, weights: Rows, keep: int, weak: NDArray[np.intp]) -> Candidates:
    """Exactly three flips among the weak positions."""
    weighted = part * weights
    single, pair = weighted.sum(axis=1), weighted @ part.T
    lost = 4 * np.matmul(weighted[:, None, :] * part[None, :, :], part.T)  # (m, m, m)
    lost += single[:, None, None] + single[None, :, None] + single[None, None, :]
    lost -= 2 * (pair[:, :, None] + pair[:, None, :] + pair[None, :, :])
    index = np.arange(len(part))
    rising = (index[:, None, None] < index[None, :, None]) & (index[None, :, None] < index[None, None, :])
    best = least(np.where(rising, lost, np.inf), keep)
    return [(float(lost[tuple(at)]), sum(1 << int(weak[axis]) for axis in at)) for at in best]


def least(values: Rows, keep: int) -> NDArray[np.intp]:
    """Indices of the few least values, one row each."""
    flat = np.argpartition(values.reshape(-1), keep)[:keep]
    return np.stack(np.unravel_index(flat, values.shape), axis=1)
