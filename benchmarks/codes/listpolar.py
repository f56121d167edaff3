"""Polar code under list decoding in plain numpy: blocks of few free bits are tried whole, so steps are few and wide."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from .channel import Bits
from .polar import transform

Values = NDArray[np.float32]
Indices = NDArray[np.intp]


@dataclass(frozen=True)
class Block:
    """A subtree of the code: either two halves, or few enough free bits that its whole codebook is listed."""

    size: int
    codebook: Values | None  # (words, size), ±1
    halves: tuple[Block, Block] | None


@dataclass(frozen=True)
class Extended:
    """The surviving paths after a block: their signs on it, the row each came from, and their penalties."""

    signs: Values  # (rows, size), ±1
    parents: Indices  # (rows,)
    penalty: Values  # (batch, paths)


@dataclass(frozen=True)
class ListPolar:
    """Positions are ranked by the weight sum(bit_j * base^j), which needs no channel.

    A base of 23/20 in whole numbers is exact on every machine, and no two positions can tie: a polynomial with
    coefficients -1, 0, 1 has no root whose denominator is 20.
    """

    n: int
    k: int
    paths: int = 32
    base: tuple[int, int] = (23, 20)
    leaf_bits: int = 5

    @cached_property
    def free(self) -> NDArray[np.bool_]:
        depth, (above, below) = self.n.bit_length() - 1, self.base
        powers = np.array([above**j * below ** (depth - 1 - j) for j in range(depth)])
        weight = (np.arange(self.n)[:, None] >> np.arange(depth) & 1) @ powers
        chosen = np.zeros(self.n, bool)
        chosen[np.argsort(-weight, kind="stable")[: self.k]] = True
        return chosen

    @cached_property
    def tree(self) -> Block:
        return plan(self.free, self.leaf_bits)

    def encode(self, seeds: Bits) -> Bits:
        """Codewords (T, n) of seeds (T, k)."""
        source = np.zeros((len(seeds), self.n), np.uint8)
        source[:, self.free] = seeds
        return transform(source)

    def decode(self, soft: NDArray[np.float64], keep: int = 8) -> Bits:
        """Best seeds first, (T, keep, k)."""
        done = extend(self.tree, soft.astype(np.float32), np.zeros((len(soft), 1), np.float32), self.paths)
        best = np.argsort(done.penalty, axis=1, kind="stable")[:, :keep]
        rows = best + np.arange(len(soft))[:, None] * done.penalty.shape[1]
        words = (done.signs[rows.ravel()] < 0).astype(np.uint8)
        return transform(words)[:, self.free].reshape(len(soft), keep, self.k)


def plan(free: NDArray[np.bool_], leaf_bits: int) -> Block:
    """Cut the code into halves until a block has few free bits."""
    size, count = len(free), int(free.sum())
    if count > leaf_bits and size > 1:
        return Block(size, None, (plan(free[: size // 2], leaf_bits), plan(free[size // 2 :], leaf_bits)))
    source = np.zeros((1 << count, size), np.uint8)
    source[:, free] = np.arange(1 << count)[:, None] >> np.arange(count) & 1
    return Block(size, 1 - 2 * transform(source).astype(np.float32), None)


def extend(block: Block, values: Values, penalty: Values, paths: int) -> Extended:
    """Extend every path over a block; `values` (rows, size) are its soft values on each path."""
    if block.halves is None:
        assert block.codebook is not None
        return try_words(block.codebook, values, penalty, paths)
    half = block.size // 2
    left, right = values[:, :half], values[:, half:]
    checks = np.minimum(np.abs(left), np.abs(right)) * np.sign(left) * np.sign(right)
    first = extend(block.halves[0], checks, penalty, paths)
    joined = values[first.parents]
    second = extend(block.halves[1], joined[:, half:] + first.signs * joined[:, :half], first.penalty, paths)
    above = first.signs[second.parents]
    return Extended(
        np.concatenate([above * second.signs, second.signs], axis=1),
        first.parents[second.parents],
        second.penalty,
    )


def try_words(codebook: Values, values: Values, penalty: Values, paths: int) -> Extended:
    """Try every word of a small code on every path and keep the paths with the least penalty."""
    batch, before = penalty.shape
    words = len(codebook)
    against = (np.abs(values).sum(axis=1, keepdims=True) - values @ codebook.T) / 2  # (rows, words)
    total = (penalty.reshape(-1, 1) + against).reshape(batch, before * words)
    if words == 1:
        return Extended(np.broadcast_to(codebook, values.shape), np.arange(len(values)), total)
    if total.shape[1] > paths:
        kept = np.argpartition(total, paths - 1, axis=1)[:, :paths]
        total = np.take_along_axis(total, kept, axis=1)
    else:
        kept = np.broadcast_to(np.arange(total.shape[1]), total.shape)
    parents = (kept // words + np.arange(batch)[:, None] * before).ravel()
    return Extended(codebook[(kept % words).ravel()], parents, total)
