"""The error-correcting code of the fuzzy commitment: a random linear code under ordered-statistics decoding.

A code of length n carries a seed of k ≤ 64 bits. Its generator is systematic, its parity columns are drawn from
SHAKE-256, so that any length can be had and the code is fixed by its name. Near-maximum-likelihood decoding is affordable
because k is small: take the k most reliable independent positions as they were received, and try all patterns of few
errors among them (Fossorier & Lin 1995). All two-error patterns cost one k×n×k matrix product.
`docs/decisions/0002-code-and-seed-length.md` has the measurements against BCH, polar and convolutional codes.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

MAX_SEED_BITS = 64
DEEP_POSITIONS = 32  # three errors are searched among this many least reliable basis positions
CANDIDATES = 4  # seeds handed on by each stage of decoding, best first

Words = NDArray[np.uint64]  # bit j of word i: generator entry of seed bit j in code position i


@dataclass(frozen=True)
class Basis:
    """The code in the form that is systematic in its most reliable positions."""

    columns: Words  # (n,) generator columns after row reduction, in the order of `order`
    order: NDArray[np.intp]  # (n,) code positions, most reliable first
    positions: NDArray[np.intp]  # (k,) where in `order` the basis positions are
    base: int  # the received hard decisions at the basis positions


class LinearCode:
    """The code `tiacam-code-1` of length n and dimension k."""

    def __init__(self, length: int, dimension: int) -> None:
        assert 0 < dimension <= min(length, MAX_SEED_BITS)
        self.length, self.dimension = length, dimension
        self.columns = generator_columns(length, dimension)
        self._shifts = np.arange(dimension, dtype=np.uint64)

    def encode(self, seed: int) -> NDArray[np.uint8]:
        """Codeword bits (n,) of a seed."""
        return np.bitwise_count(self.columns & np.uint64(seed)) & np.uint8(1)

    def decode(self, soft: NDArray[np.float32], deep: bool = False) -> list[int]:
        """The most likely seeds, best first; `soft` is positive where a 0 is more likely (any common scale).

        The shallow search covers up to two errors in the basis; `deep` returns what three errors would explain.
        """
        basis = self._reliable_basis(soft)
        signs = 1 - 2 * (np.bitwise_count(basis.columns & np.uint64(basis.base)) & np.uint8(1)).astype(np.float32)
        weights = soft[basis.order] * signs  # (n,) how well each position agrees with the base codeword
        rows = (basis.columns >> self._shifts[:, None] & np.uint64(1)).astype(np.float32)  # (k, n)
        flips = _three_flips(rows, weights, basis, soft) if deep else _two_flips(rows, weights)
        return [self._seed_of(basis, basis.base ^ flip) for flip in flips]

    def _reliable_basis(self, soft: NDArray[np.float32]) -> Basis:
        order = np.argsort(-np.abs(soft), kind="stable")
        columns = self.columns[order]
        positions = np.empty(self.dimension, np.intp)
        used, index, one = 0, 0, np.uint64(1)
        for _ in range(self.dimension):
            while not (free := int(columns[index]) & ~used):
                index += 1
            pivot = free & -free
            row = pivot.bit_length() - 1
            hit = columns >> np.uint64(row) & one
            columns ^= hit * np.uint64(int(columns[index]) ^ pivot)
            used |= pivot
            positions[row] = index
        hard = soft[order[positions]] < 0
        base = int(np.bitwise_or.reduce(np.where(hard, one << self._shifts, np.uint64(0))))
        return Basis(columns, order, positions, base)

    def _seed_of(self, basis: Basis, bits: int) -> int:
        """The seed of the codeword with these bits at the basis positions: its systematic part."""
        place = np.empty(self.length, np.intp)
        place[basis.order] = np.arange(self.length)
        systematic = basis.columns[place[: self.dimension]]
        parity = (np.bitwise_count(systematic & np.uint64(bits)) & np.uint8(1)).astype(np.uint64)
        return int(np.bitwise_or.reduce(parity << self._shifts))


@cache
def linear_code(length: int, dimension: int) -> LinearCode:
    return LinearCode(length, dimension)


def generator_columns(length: int, dimension: int) -> Words:
    """One word a code position: unit vectors first, then pseudo-random columns."""
    name = b"tiacam-code-1 %d %d" % (length, dimension)
    random = np.frombuffer(hashlib.shake_256(name).digest(8 * (length - dimension)), "<u8").astype(np.uint64)
    unit = np.uint64(1) << np.arange(dimension, dtype=np.uint64)
    return np.concatenate([unit, random & np.uint64((1 << dimension) - 1)])


def _two_flips(rows: NDArray[np.float32], weights: NDArray[np.float32]) -> list[int]:
    """Flip patterns of at most two basis bits with the best correlation to what was received."""
    weighted = rows * weights
    single = weighted.sum(axis=1)  # (k,)
    loss = single[:, None] + single[None, :] - 2 * (weighted @ rows.T)  # (k, k) correlation lost, halved
    np.fill_diagonal(loss, single)
    loss[np.triu_indices(len(rows), 1)] = np.inf
    best = _smallest(loss)
    patterns = [(float(loss.flat[i]), (1 << int(i) // len(rows)) | (1 << int(i) % len(rows))) for i in best]
    return [pattern for _, pattern in sorted([*patterns, (0.0, 0)])[:CANDIDATES]]


def _three_flips(
    rows: NDArray[np.float32], weights: NDArray[np.float32], basis: Basis, soft: NDArray[np.float32]
) -> list[int]:
    """The best patterns of exactly three flips among the least reliable basis positions."""
    reliability = np.abs(soft[basis.order[basis.positions]])
    weak = np.argsort(reliability, kind="stable")[:DEEP_POSITIONS]
    part = rows[weak]  # (m, n)
    weighted = part * weights
    single, pair = weighted.sum(axis=1), weighted @ part.T
    triple = np.matmul(weighted[:, None, :] * part[None, :, :], part.T)  # (m, m, m)
    loss = single[:, None, None] + single[None, :, None] + single[None, None, :] + 4 * triple
    loss -= 2 * (pair[:, :, None] + pair[:, None, :] + pair[None, :, :])
    index = np.arange(len(weak))
    ordered = (index[:, None, None] < index[None, :, None]) & (index[None, :, None] < index[None, None, :])
    best = _smallest(np.where(ordered, loss, np.inf))
    triples = [np.unravel_index(int(i), loss.shape) for i in best]
    return [sum(1 << int(weak[int(axis)]) for axis in triple_index) for triple_index in triples]


def _smallest(values: NDArray[np.float32]) -> NDArray[np.intp]:
    """Flat positions of the few smallest values, smallest first."""
    flat = values.reshape(-1)
    count = min(CANDIDATES, len(flat))
    few = np.argpartition(flat, count - 1)[:count]
    return few[np.argsort(flat[few], kind="stable")]
