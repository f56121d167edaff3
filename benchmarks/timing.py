"""Ratios of times measured in one run: all contestants take turns, so that a busy machine hits all alike."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from tqdm import tqdm


@dataclass(frozen=True)
class Times:
    """Seconds of one contestant, one entry a round."""

    seconds: list[float]

    @property
    def median(self) -> float:
        return float(np.median(self.seconds))

    @property
    def least(self) -> float:
        return min(self.seconds)


def take_turns(contestants: Mapping[str, Callable[[], object]], rounds: int) -> dict[str, Times]:
    """Time every contestant once a round, after one round that does not count."""
    seconds: dict[str, list[float]] = {name: [] for name in contestants}
    for turn in tqdm(range(rounds + 1), leave=False):
        for name, run in contestants.items():
            start = time.perf_counter()
            run()
            if turn:
                seconds[name].append(time.perf_counter() - start)
    return {name: Times(values) for name, values in seconds.items()}


def compare(times: Mapping[str, Times], name: str, base: str, target: float | None = None) -> dict[str, Any]:
    """`name` as a multiple of `base`: by medians, and by the least times, which a busy machine disturbs less."""
    own, other = times[name], times[base]
    return {
        "what": name,
        "against": base,
        "ratio_of_medians": round(own.median / other.median, 4),
        "ratio_of_least": round(own.least / other.least, 4),
        "at_most": target,
        "median_ms": round(1e3 * own.median, 3),
        "against_median_ms": round(1e3 * other.median, 3),
        "rounds": len(own.seconds),
    }
