"""The error-correcting code of the fuzzy commitment: a polar code under list decoding.

A polar code of length n = 2^m carries a seed of k bits in its k most reliable positions. The list decoder
(Tal & Vardy 2015) goes through the code from left to right and keeps the best `PATHS` partial seeds. Here
whole blocks with few free bits are tried at once, so that a decode is some ten wide numpy steps. Soft
values may have any common scale: all that counts is agreement, so the unknown cosine between photo and
picture is not needed. Which of the listed seeds is the right one, the seal of the message tells; no bits are
spent on a check inside the code.
docs/decisions/0002-code-and-seed-length.md has the measurements against other codes and the finite-length
limit.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

MAX_SEED_BITS = 64
PATHS = 32  # partial seeds kept while decoding
QUICK_PATHS = 4  # of a first attempt, which suffices for most photos
LISTED = 8  # seeds handed out, best first
BLOCK_BITS = 8  # blocks with at most this many free bits are tried whole
RANK_BASE = 1.15  # positions are ranked by Σ bit_j · base^j, which needs no channel model

Bits = NDArray[np.uint8]
Soft = NDArray[np.float32]


@dataclass(frozen=True)
class Block:
    """A stretch of the code: two halves, or few enough free bits that all its words are listed."""

    size: int
    before: int  # free bits to the left of it
    words: Soft | None  # (2^bits, size), ±1; word i carries the bits of i
    votes: Soft | None  # (size, 2^bits), half the words
    halves: tuple[Block, Block] | None


class Paths(NamedTuple):
    """The survivors after a block: their signs and seed bits on it, whom they continue, how far they disagree."""

    signs: Soft | None  # (P, size), ±1; None after the last block, where nobody needs them
    seeds: NDArray[np.uint64]  # (P,)
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

    def candidates(self, soft: Soft) -> Iterator[int]:
        """Seeds to try, a quick attempt first, each once."""
        quick = self.decode(soft, QUICK_PATHS)
        yield from quick
        yield from (seed for seed in self.decode(soft) if seed not in quick)

    def decode(self, soft: Soft, paths: int = PATHS) -> list[int]:
        """The most likely seeds, best first; `soft` (n,) is positive where a 0 is more likely."""
        start = np.zeros(1, np.float32)
        found = extend(self._tree, soft[None].astype(np.float32), start, paths, last=True)
        best = np.argsort(found.penalty, kind="stable")[:LISTED]
        seeds: list[int] = found.seeds[best].tolist()
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


def plan(free: NDArray[np.bool_], before: int = 0) -> Block:
    """Cut the code into halves until a block has few free bits."""
    size, count = len(free), int(free.sum())
    if count > BLOCK_BITS and size > 1:
        left, right = free[: size // 2], free[size // 2 :]
        return Block(size, before, None, None, (plan(left, before), plan(right, before + int(left.sum()))))
    source = np.zeros((1 << count, size), np.uint8)
    source[:, free] = np.arange(1 << count)[:, None] >> np.arange(count) & 1
    words = 1 - 2 * polar_transform(source).astype(np.float32)
    return Block(size, before, words, np.ascontiguousarray(words.T / 2), None)


def extend(block: Block, values: Soft, penalty: Soft, most: int, last: bool) -> Paths:
    """Extend every path over a block; `values` (P, size) are the soft values that each path sees there."""
    if block.halves is None:
        return try_words(block, values, penalty, most, last)
    half = block.size // 2
    sizes = np.abs(values)
    checks = np.minimum(sizes[:, :half], sizes[:, half:])
    np.copysign(checks, values[:, :half] * values[:, half:], out=checks)
    first = extend(block.halves[0], checks, penalty, most, last=False)
    assert first.signs is not None
    joined = values.take(first.parents, axis=0)
    known = first.signs * joined[:, :half] + joined[:, half:]
    second = extend(block.halves[1], known, first.penalty, most, last)
    return Paths(
        signs=None if last else combine(first, second),
        seeds=first.seeds.take(second.parents) | second.seeds,
        parents=first.parents.take(second.parents),
        penalty=second.penalty,
    )


def combine(first: Paths, second: Paths) -> Soft:
    """The signs on a block from those on its halves: (a, b) → (a·b, b)."""
    assert first.signs is not None
    assert second.signs is not None
    left = first.signs.take(second.parents, axis=0)
    return np.concatenate([left * second.signs, second.signs], axis=1)


def try_words(block: Block, values: Soft, penalty: Soft, most: int, last: bool) -> Paths:
    """Try every word of a block on every path, and keep the paths with the least disagreement.

    A word's disagreement is (Σ|values| - values·word) / 2.
    """
    assert block.words is not None
    assert block.votes is not None
    so_far = penalty + np.abs(values) @ half_ones(block.size)  # (P,)
    total = (so_far[:, None] - values @ block.votes).ravel()  # (P · words,)
    kept = total.argpartition(most - 1)[:most] if len(total) > most else np.arange(len(total))
    parents, chosen = np.divmod(kept, len(block.words))
    return Paths(
        signs=None if last else block.words.take(chosen, axis=0),
        seeds=chosen.astype(np.uint64) << np.uint64(block.before),
        parents=parents,
        penalty=total.take(kept),
    )


@cache
def half_ones(size: int) -> Soft:
    return np.full(size, 0.5, np.float32)
