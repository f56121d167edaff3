"""The error-correcting code of the fuzzy commitment: a polar code under list decoding.

A polar code of length n = 2^m carries a seed of k bits in its k most reliable positions. The list decoder
(Tal & Vardy 2015) goes through the code from left to right and keeps the best `PATHS` partial seeds. Here
whole blocks with few free bits are tried at once, so that a decode is some twenty wide numpy steps. Soft
values may have any common scale: all that counts is agreement, so the unknown cosine between photo and
picture is not needed. Which of the listed seeds is the right one, the seal of the message tells; no bits are
spent on a check inside the code.
docs/decisions/0002-code-and-seed-length.md has the measurements against other codes and the finite-length
limit.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

MAX_SEED_BITS = 64
PATHS = 32  # partial seeds kept while decoding
LISTED = 8  # seeds handed out, best first
BLOCK_BITS = 5  # blocks with at most this many free bits are tried whole
RANK_BASE = 1.15  # positions are ranked by Σ bit_j · base^j, which needs no channel model

Bits = NDArray[np.uint8]
Soft = NDArray[np.float32]


@dataclass(frozen=True)
class Block:
    """A stretch of the code: two halves, or few enough free bits that all its words are listed."""

    size: int
    words: Soft | None  # (2^bits, size), ±1
    halves: tuple[Block, Block] | None


@dataclass(frozen=True)
class Paths:
    """The survivors after a block: their signs on it, the path that each continues, and their disagreement so far."""

    signs: Soft  # (P, size), ±1
    parents: NDArray[np.intp]  # (P,)
    penalty: Soft  # (P,)


class PolarCode:
    """The code of length n and dimension k."""

    def __init__(self, length: int, dimension: int) -> None:
        assert length & (length - 1) == 0, length
        assert 0 < dimension <= min(length, MAX_SEED_BITS), dimension
        self.length, self.dimension = length, dimension
        self._free = free_positions(length, dimension)
        self._tree = plan(self._free)
        self._weights = np.uint64(1) << np.arange(dimension, dtype=np.uint64)

    def encode(self, seed: int) -> Bits:
        """Codeword bits (n,) of a seed."""
        source = np.zeros(self.length, np.uint8)
        source[self._free] = (np.uint64(seed) & self._weights) != 0
        codeword: Bits = polar_transform(source[None])[0]
        return codeword

    def decode(self, soft: Soft) -> list[int]:
        """The most likely seeds, best first; `soft` (n,) is positive where a 0 is more likely."""
        found = extend(self._tree, soft[None].astype(np.float32), np.zeros(1, np.float32))
        best = np.argsort(found.penalty, kind="stable")[:LISTED]
        sources = polar_transform((found.signs[best] < 0).astype(np.uint8))[:, self._free]
        seeds: list[int] = (sources.astype(np.uint64) @ self._weights).tolist()
        return seeds


@cache
def polar_code(length: int, dimension: int) -> PolarCode:
    return PolarCode(length, dimension)


def free_positions(length: int, dimension: int) -> NDArray[np.bool_]:
    """Which positions carry seed bits: those of the largest polarisation weight."""
    digits = np.arange(length)[:, None] >> np.arange(length.bit_length() - 1) & 1
    weight = digits @ RANK_BASE ** np.arange(length.bit_length() - 1)
    chosen = np.zeros(length, bool)
    chosen[np.argsort(-weight, kind="stable")[:dimension]] = True
    return chosen


@cache
def kernel(size: int) -> Soft:
    """F^{⊗m} for F = [[1, 0], [1, 1]] and size 2^m."""
    matrix = np.ones((1, 1), np.float32)
    while len(matrix) < size:
        matrix = np.kron(np.array([[1, 0], [1, 1]], np.float32), matrix)
    return matrix


def polar_transform(rows: Bits) -> Bits:
    """x·F^{⊗m} over GF(2) for every row (R, n): source bits to code bits, and back again.

    Two small matrix products; float32 counts exactly up to 2^24, far beyond n.
    """
    log = rows.shape[1].bit_length() - 1
    high, low = kernel(1 << log // 2), kernel(1 << log - log // 2)
    counts = high.T @ rows.astype(np.float32).reshape(len(rows), len(high), len(low)) @ low
    return np.asarray(counts.reshape(rows.shape) % 2, np.uint8)


def plan(free: NDArray[np.bool_]) -> Block:
    """Cut the code into halves until a block has few free bits."""
    size, count = len(free), int(free.sum())
    if count > BLOCK_BITS and size > 1:
        return Block(size, None, (plan(free[: size // 2]), plan(free[size // 2 :])))
    source = np.zeros((1 << count, size), np.uint8)
    source[:, free] = np.arange(1 << count)[:, None] >> np.arange(count) & 1
    return Block(size, 1 - 2 * polar_transform(source).astype(np.float32), None)


def extend(block: Block, values: Soft, penalty: Soft) -> Paths:
    """Extend every path over a block; `values` (P, size) are the soft values that each path sees there."""
    if block.halves is None:
        assert block.words is not None
        return try_words(block.words, values, penalty)
    half = block.size // 2
    left, right = values[:, :half], values[:, half:]
    checks = np.copysign(np.minimum(np.abs(left), np.abs(right)), left * right)
    first = extend(block.halves[0], checks, penalty)
    joined = values.take(first.parents, axis=0)
    second = extend(block.halves[1], joined[:, half:] + first.signs * joined[:, :half], first.penalty)
    signs = np.empty((len(second.parents), block.size), np.float32)
    np.multiply(first.signs.take(second.parents, axis=0), second.signs, out=signs[:, :half])
    signs[:, half:] = second.signs
    return Paths(signs, first.parents.take(second.parents), second.penalty)


def try_words(words: Soft, values: Soft, penalty: Soft) -> Paths:
    """Try every word of a block on every path, and keep the paths with the least disagreement.

    A word's disagreement is (Σ|values| - values·word) / 2.
    """
    before = penalty + 0.5 * np.add.reduce(np.abs(values), axis=1)  # (P,)
    total = (before[:, None] - values @ (0.5 * words.T)).reshape(-1)  # (P · words,)
    kept = total.argpartition(PATHS - 1)[:PATHS] if len(total) > PATHS else np.arange(len(total))
    return Paths(words.take(kept % len(words), axis=0), kept // len(words), total.take(kept))
