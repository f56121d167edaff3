"""Polar code with successive-cancellation list decoding (numba), optionally precoded and with a CRC."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numba import njit
from numpy.typing import NDArray

from .channel import Bits, Floats, draw, soften_exactly


@dataclass(frozen=True)
class Polar:
    """A polar code built for the channel at `design` cosine.

    `crc` check bits are appended to the seed; `precode` is a convolution applied before the polar transform,
    so that frozen positions depend on earlier bits (1 = none).
    """

    n: int
    k: int
    paths: int = 32
    design: float = 0.55
    levels: int = 4
    crc: int = 0
    precode: int = 1

    @cached_property
    def free(self) -> NDArray[np.bool_]:
        """Positions that carry bits: those that genie-aided cancellation gets wrong least often."""
        order = np.argsort(rate_positions(self.n, self.design, self.levels), kind="stable")
        chosen = np.zeros(self.n, bool)
        chosen[order[: self.k + self.crc]] = True
        return chosen

    @cached_property
    def checks(self) -> Bits:
        """A random matrix (k, crc): as good a check as a cyclic one against random errors, for any length."""
        return np.random.default_rng(7).integers(0, 2, (self.k, self.crc), dtype=np.uint8)

    def encode(self, seeds: Bits) -> Bits:
        """Codewords (T, n) of seeds (T, k)."""
        source = np.zeros((len(seeds), self.n), np.uint8)
        source[:, self.free] = np.concatenate([seeds, seeds @ self.checks % 2], axis=1)
        mixed = np.zeros_like(source)
        for lag in range(self.precode.bit_length()):
            if self.precode >> lag & 1:
                mixed[:, lag:] ^= source[:, : self.n - lag]
        return transform(mixed)

    def decode(self, soft: Floats, keep: int = 8) -> Bits:
        """Best seeds first, (T, keep, k); with a CRC, those that pass it come first."""
        results = np.empty((len(soft), keep, self.k), np.uint8)
        for row, values in enumerate(soft):
            found = list_decode(values, self.free, self.paths, np.uint64(self.precode))[:, self.free]
            if self.crc:
                passed = (found[:, : self.k] @ self.checks % 2 == found[:, self.k :]).all(axis=1)
                found = found[np.argsort(~passed, kind="stable")]
            results[row] = found[:keep, : self.k]
        return results


def transform(bits: Bits) -> Bits:
    """Multiply each row by the polar kernel's Kronecker power, in natural order."""
    bits = bits.copy()
    half = 1
    while half < bits.shape[1]:
        view = bits.reshape(len(bits), -1, 2, half)
        view[:, :, 0] ^= view[:, :, 1]
        half *= 2
    return bits


@lru_cache
def rate_positions(n: int, cosine: float, levels: int, trials: int = 4000) -> Floats:
    """Estimate each position's error rate under genie-aided cancellation by density evolution on samples."""
    rng = np.random.default_rng(3)
    trial = draw(rng, trials, n, cosine)
    values = soften_exactly(trial, np.zeros((trials, n), np.uint8), levels, cosine)
    values = values.reshape(trials, 1, n)
    while values.shape[2] > 1:
        half = values.shape[2] // 2
        left, right = values[:, :, :half], values[:, :, half:]
        check = np.logaddexp(0, left + right) - np.logaddexp(left, right)
        values = np.stack([check, left + right], axis=2).reshape(trials, -1, half)
    return np.asarray((1 / (1 + np.exp(np.clip(values[:, :, 0], -700, 700)))).mean(axis=0))


@njit(cache=True)
def list_decode(soft: Floats, free: NDArray[np.bool_], paths: int, precode: np.uint64) -> Bits:
    """Min-sum list decoding; return the sources of all paths, the best metric first."""
    n = soft.size
    depth = int(np.round(np.log2(n)))
    # Level d holds blocks of n >> d values; each path owns a full row, so that a fork is one row copy.
    value = np.zeros((paths, 2 * n))
    partial = np.zeros((paths, 2 * n), np.uint8)
    source = np.zeros((paths, n), np.uint8)
    register = np.zeros(paths, np.uint64)
    penalty = np.zeros(paths)
    alive = 1
    value[0, n : 2 * n] = soft
    for position in range(n):
        for path in range(alive):
            descend(value[path], partial[path], position, depth)
        if not free[position]:
            for path in range(alive):
                shifted = register[path] << np.uint64(1)
                bit = parity(shifted & precode)
                register[path] = shifted
                penalty[path] += cost(value[path, 1], bit)
                ascend(partial[path], position, bit, depth)
            continue
        alive = fork(value, partial, source, register, penalty, alive, paths, position, precode)
        for path in range(alive):
            source[path, position] = register[path] & np.uint64(1)
            ascend(partial[path], position, parity(register[path] & precode), depth)
    return source[np.argsort(penalty[:alive])]


@njit(cache=True)
def parity(word: np.uint64) -> int:
    """Parity of a word's bits."""
    count = 0
    while word:
        word &= word - np.uint64(1)
        count ^= 1
    return count


@njit(cache=True)
def cost(value: float, bit: int) -> float:
    """Penalty of deciding a bit against its value."""
    return abs(value) if (value < 0) != (bit == 1) else 0.0


@njit(cache=True)
def descend(value: Floats, partial: Bits, position: int, depth: int) -> None:
    """Update the values on the way down to a leaf; block of size s lives at [s, 2s)."""
    # Only the levels below the lowest set bit of the position have changed since the previous leaf.
    changed = depth
    if position:
        changed = 0
        while not position >> changed & 1:
            changed += 1
        size = 1 << changed
        for i in range(size):
            left, right = value[2 * size + i], value[3 * size + i]
            value[size + i] = right - left if partial[size + i] else right + left
    for level in range(changed - 1, -1, -1):
        size = 1 << level
        for i in range(size):
            left, right = value[2 * size + i], value[3 * size + i]
            least = min(abs(left), abs(right))
            value[size + i] = -least if (left < 0) != (right < 0) else least


@njit(cache=True)
def ascend(partial: Bits, position: int, bit: int, depth: int) -> None:
    """Put a decided bit into the partial sums; a finished left block of size s waits at [s, 2s)."""
    carry = np.empty(1 << depth, np.uint8)
    carry[0] = bit
    level = 0
    while level < depth and position >> level & 1:
        size = 1 << level
        for i in range(size):
            carry[size + i] = carry[i]
            carry[i] ^= partial[size + i]
        level += 1
    if level < depth:
        size = 1 << level
        partial[size : 2 * size] = carry[:size]


@njit(cache=True)
def fork(
    value: Floats,
    partial: Bits,
    source: Bits,
    register: NDArray[np.uint64],
    penalty: Floats,
    alive: int,
    paths: int,
    position: int,
    precode: np.uint64,
) -> int:
    """Try both bits on every path, keep the best `paths`, and copy the rows of those that go on twice."""
    costs = np.empty(2 * alive)
    for path in range(alive):
        for bit in range(2):
            word = register[path] << np.uint64(1) | np.uint64(bit)
            costs[2 * path + bit] = penalty[path] + cost(value[path, 1], parity(word & precode))
    kept = np.zeros(2 * alive, np.bool_)
    for index in np.argsort(costs)[:paths]:
        kept[index] = True
    free_rows = [row for row in range(paths) if row >= alive or not (kept[2 * row] or kept[2 * row + 1])]
    taken = 0
    for path in range(alive):
        if kept[2 * path] and kept[2 * path + 1]:
            row = free_rows[taken]
            taken += 1
            size = value.shape[1] // 2
            value[row, :] = value[path, :]
            partial[row, :size] = partial[path, :size]
            source[row, :position] = source[path, :position]
            register[row] = register[path] << np.uint64(1) | np.uint64(1)
            penalty[row] = costs[2 * path + 1]
    for path in range(alive):
        if kept[2 * path] or kept[2 * path + 1]:
            bit = 0 if kept[2 * path] else 1
            register[path] = register[path] << np.uint64(1) | np.uint64(bit)
            penalty[path] = costs[2 * path + bit]
    return min(2 * alive, paths)
