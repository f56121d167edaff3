"""Work on pictures, off the event loop: a fixed number of threads, a fixed number of places, and no queue behind."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

from tiacam.errors import BusyError, SlowWorkError

T = TypeVar("T")


class WorkPool:
    """Runs at most `workers` pieces of work at once while at most `waiting` wait; the next is refused."""

    def __init__(self, workers: int, waiting: int) -> None:
        self.places = workers + waiting
        self._executor = ThreadPoolExecutor(workers, thread_name_prefix="picture")
        self._lock = threading.Lock()
        self._taken = 0

    @property
    def taken(self) -> int:
        """Places in use, those of work that outlasted its request included: a thread cannot be stopped."""
        return self._taken

    def check(self) -> None:
        """Refuse before a body is received what would be refused afterwards."""
        if self._taken >= self.places:
            raise BusyError(f"all {self.places} places are taken: try again in a moment")

    async def run(self, work: Callable[[], T], seconds: float) -> T:
        """The result of `work`, or the refusal; what has not begun after `seconds` is never begun."""
        with self._lock:
            self.check()
            self._taken += 1
        future = self._executor.submit(work)
        future.add_done_callback(self._leave)
        try:
            return await asyncio.wait_for(asyncio.wrap_future(future), seconds)
        except TimeoutError as error:
            raise SlowWorkError(f"no answer after {seconds:g} seconds, the work was given up") from error

    def close(self) -> None:
        """Let what runs end, drop what waits."""
        self._executor.shutdown(wait=True, cancel_futures=True)

    def _leave(self, _: Future[T]) -> None:
        with self._lock:
            self._taken -= 1
