"""Training against the clock: every baseline gets the same seconds, and its schedule follows the share that is gone."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field

WARM_UP = 0.1
FIRST, LAST = 0.04, 0.002  # of the peak rate, where the cycle begins and ends


@dataclass(frozen=True)
class TimeBox:
    """A span of seconds that begins when it is made."""

    seconds: float
    start: float = field(default_factory=time.monotonic)

    @property
    def progress(self) -> float:
        """The share of the time that is gone, 1 when it is over."""
        return min(1.0, (time.monotonic() - self.start) / self.seconds)


def one_cycle(progress: float, peak: float) -> float:
    """The learning rate: up along a cosine in the first tenth, then down along another."""
    if progress < WARM_UP:
        return peak * (FIRST + (1 - FIRST) * rise(progress / WARM_UP))
    return peak * (1 - (1 - LAST) * rise((progress - WARM_UP) / (1 - WARM_UP)))


def rise(share: float) -> float:
    """Half a cosine from 0 to 1."""
    return (1 - math.cos(math.pi * share)) / 2
