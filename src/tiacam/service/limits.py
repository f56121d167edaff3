"""Limits that span requests: how often one caller may ask, and how many bytes may be on their way at once."""

from __future__ import annotations

import math
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from tiacam.errors import BusyError, TooManyRequestsError

MOST_CALLERS = 10_000
BURST_S = 10.0  # a caller may use up so many seconds' worth at once


@dataclass
class Bucket:
    """What a caller has left, as of a moment."""

    left: float
    at: float


class RateLimit:
    """A token bucket for each caller; the ones not seen for longest are forgotten."""

    def __init__(self, per_minute: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate = per_minute / 60
        self._burst = max(1.0, self._rate * BURST_S)
        self._clock = clock
        self._buckets: OrderedDict[str, Bucket] = OrderedDict()

    def spend(self, caller: str) -> None:
        """Count one request, or refuse it and say when to come back."""
        if not self._rate:
            return
        now = self._clock()
        bucket = self._buckets.pop(caller, None) or Bucket(self._burst, now)
        self._buckets[caller] = bucket
        if len(self._buckets) > MOST_CALLERS:
            self._buckets.popitem(last=False)
        bucket.left = min(self._burst, bucket.left + (now - bucket.at) * self._rate)
        bucket.at = now
        if bucket.left < 1:
            raise self._refusal((1 - bucket.left) / self._rate)
        bucket.left -= 1

    def _refusal(self, seconds: float) -> TooManyRequestsError:
        error = TooManyRequestsError(f"more than {self._rate * 60:.0f} requests a minute: try again later")
        error.retry_after = math.ceil(seconds)
        return error


class ByteBudget:
    """Bytes that all bodies together may hold in memory."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.held = 0

    @contextmanager
    def hold(self) -> Iterator[Callable[[int], None]]:
        """A function that takes bytes from the budget; all are given back on leaving."""
        mine = 0

        def take(count: int) -> None:
            nonlocal mine
            if self.held + count > self.limit:
                raise BusyError("too many uploads are on their way: try again in a moment")
            self.held += count
            mine += count

        try:
            yield take
        finally:
            self.held -= mine
