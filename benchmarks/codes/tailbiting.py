"""Tail-biting convolutional code with wrap-around Viterbi decoding, vectorised over trials and states."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from .channel import Bits, Floats


@dataclass(frozen=True)
class TailBiting:
    """A circle of k seed bits; each of the n outputs is the parity of a masked window of memory + 1 bits.

    Masks are drawn once from `seed` and differ from step to step, so any ratio n / k works without puncturing.
    """

    n: int
    k: int
    memory: int = 10
    seed: int = 1
    passes: int = 2

    @cached_property
    def masks(self) -> NDArray[np.int64]:
        """One window mask for each output; the newest and the oldest bit always take part."""
        inner = np.random.default_rng(self.seed).integers(0, 1 << (self.memory - 1), self.n)
        return (inner << 1) | 1 | (1 << self.memory)

    @cached_property
    def steps(self) -> NDArray[np.int64]:
        """The trellis step at which each output is sent."""
        return np.arange(self.n) * self.k // self.n

    @cached_property
    def signs(self) -> NDArray[np.float32]:
        """+1 or -1 that each window sends as each output: (n, 2^(memory + 1))."""
        windows = np.arange(2 << self.memory)
        parity = np.bitwise_count(self.masks[:, None] & windows[None, :]) & 1
        return (1 - 2 * parity.astype(np.int8)).astype(np.float32)

    def encode(self, seeds: Bits) -> Bits:
        """Codewords (T, n) of seeds (T, k)."""
        windows = self.windows(seeds)[:, self.steps]  # (T, n)
        return (np.bitwise_count(windows & self.masks) & 1).astype(np.uint8)

    def windows(self, seeds: Bits) -> NDArray[np.int64]:
        """The memory + 1 newest bits at each step, the newest lowest, around the circle."""
        lags = [np.roll(seeds.astype(np.int64), lag, axis=1) << lag for lag in range(self.memory + 1)]
        return np.sum(lags, axis=0)

    def decode(self, soft: Floats, keep: int = 8) -> Bits:
        """Best seeds first, (T, keep, k): survivors of the likeliest end states, ranked by their true metric."""
        branch = self.weigh_branches(soft.astype(np.float32))
        start = np.zeros((len(soft), 1 << self.memory), np.float32)
        found = []
        for _ in range(self.passes):
            final, choices = self.sweep(branch, start)
            ends = np.argpartition(-final, keep, axis=1)[:, :keep]
            found.append(self.trace(choices, ends))
            start = final - final.max(axis=1, keepdims=True)
        return self.rank(soft, np.concatenate(found[::-1], axis=1), keep)

    def weigh_branches(self, soft: NDArray[np.float32]) -> NDArray[np.float32]:
        """Correlation of each step's outputs with each window: (k, T, windows)."""
        branch = np.empty((self.k, len(soft), 2 << self.memory), np.float32)
        for step in range(self.k):
            sent = self.steps == step
            branch[step] = soft[:, sent] @ self.signs[sent]
        return branch

    def sweep(
        self, branch: NDArray[np.float32], start: NDArray[np.float32]
    ) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        """Run Viterbi once round the circle; return final metrics and, per step and state, the chosen oldest bit."""
        states = 1 << self.memory
        choices = np.empty((self.k, len(start), states), bool)
        metric = start
        for step in range(self.k):
            half = states // 2
            zero = np.repeat(metric[:, :half], 2, axis=1) + branch[step, :, :states]
            one = np.repeat(metric[:, half:], 2, axis=1) + branch[step, :, states:]
            np.greater(one, zero, out=choices[step])
            metric = np.maximum(zero, one)
        return metric, choices

    def trace(self, choices: NDArray[np.bool_], ends: NDArray[np.int64]) -> Bits:
        """Follow the survivors of the given end states back to their bits: (T, ends, k)."""
        rows = np.arange(len(ends))[:, None]
        state, bits = ends, np.empty((*ends.shape, self.k), np.uint8)
        for step in range(self.k - 1, -1, -1):
            bits[:, :, step] = state & 1
            state = (state >> 1) | (choices[step, rows, state].astype(np.int64) << (self.memory - 1))
        return bits

    def rank(self, soft: Floats, seeds: Bits, keep: int) -> Bits:
        """Order candidate seeds by the correlation of their real codewords; repeats go last."""
        trials, count, _ = seeds.shape
        codewords = self.encode(seeds.reshape(-1, self.k)).reshape(trials, count, self.n)
        metric = np.einsum("tn,tcn->tc", soft, 1.0 - 2.0 * codewords)
        for later in range(1, count):
            same = (seeds[:, :later] == seeds[:, later : later + 1]).all(axis=2).any(axis=1)
            metric[same, later] = -np.inf
        best = np.argsort(-metric, axis=1)[:, :keep]
        return np.take_along_axis(seeds, best[:, :, None], axis=1)
