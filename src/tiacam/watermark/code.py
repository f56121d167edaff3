"""The error-correcting code of the fuzzy commitment: a polar code under list decoding.

A polar code of length n = 2^m carries a seed of k bits in its k most reliable positions. The list decoder (Tal & Vardy 2015)
goes through the code from left to right and keeps the best `PATHS` partial seeds. Here whole blocks with few free bits
are tried at once, so that a decode is some twenty wide numpy steps. Soft values may have any common scale: all that
counts is agreement, so the unknown cosine between photo and picture is not needed. Which of the listed seeds is the right one, the
seal of the message tells; no bits are spent on a check inside the code.
docs/decisions/0002-code-and-seed-length.md has the measurements against other codes and the finite-length limit.
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
        return polar_transform(source[None])[0]

    def decode(self, soft: Soft) -> list[int]:
        """The most likely seeds, best first; `soft` (n,) is positive where a 0 is more likely."""
        found = extend(self._tree, soft[None].astype(np.float32), np.zeros(1, np.float32))
        best = np.argsort(found.penalty, kind="stable")[:LISTED]
        sources = polar_transform((found.signs[best] < 0).astype(np.uint8))[:, self._free]
        return [int(row[row > 0].sum()) for row in sources.astype(np.uint64) * self._weights]


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


def polar_transform(rows: Bits) -> Bits:
    """x·F^{⊗m} over GF(2) for every row (R, n): source bits to code bits, and back again."""
    out = rows.copy()
    size = rows.shape[1]
    step = 1
    while step < size:
        pairs = out.reshape(len(out), -1, 2, step)
        pairs[:, :, 0] ^= pairs[:, :, 1]
        step *= 2
    return out


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
    checks = np.minimum(np.abs(left), np.abs(right)) * np.sign(left) * np.sign(right)
    first = extend(block.halves[0], checks, penalty)
    joined = values[first.parents]
    second = extend(block.halves[1], joined[:, half:] + first.signs * joined[:, :half], first.penalty)
    upper = first.signs[second.parents] * second.signs
    return Paths(np.concatenate([upper, second.signs], axis=1), first.parents[second.parents], second.penalty)


def try_words(words: Soft, values: Soft, penalty: Soft) -> Paths:
    """Try every word of a block on every path, and keep the paths with the least disagreement."""
    against = (np.abs(values).sum(axis=1, keepdims=True) - values @ words.T) / 2  # (P, words)
    total = (penalty[:, None] + against).reshape(-1)
    if len(words) == 1:
        return Paths(np.broadcast_to(words, values.shape), np.arange(len(values)), total)
    kept = np.argpartition(total, PATHS - 1)[:PATHS] if len(total) > PATHS else np.arange(len(total))
    return Paths(words[kept % len(words)], kept // len(words), total[kept])
