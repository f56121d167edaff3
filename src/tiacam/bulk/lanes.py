"""A lane: one worker somewhere else, and the way of handing it batches."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Sequence
from concurrent.futures import BrokenExecutor, Future, ProcessPoolExecutor
from typing import Protocol

from tiacam.app import Submission
from tiacam.bulk.working import Attempt, Setup, begin, work
from tiacam.workers import Tether, interrupts_held


class WorkerLostError(Exception):
    """A worker on another machine died."""


LOST = (BrokenExecutor, WorkerLostError)


class Lane(Protocol):
    def submit(self, batch: Sequence[Submission]) -> Future[list[Attempt]]:
        """Hand over a batch; where the worker has died before, a new one takes its place."""

    def close(self) -> None: ...


class ProcessLane:
    """One process on this machine."""

    def __init__(self, setup: Setup) -> None:
        self._setup, self._tether = setup, Tether.make()
        self._executor = self._open()

    def submit(self, batch: Sequence[Submission]) -> Future[list[Attempt]]:
        with interrupts_held():  # the first batch starts the process
            try:
                return self._executor.submit(work, list(batch))
            except BrokenExecutor:
                self._executor.shutdown(wait=False)
                self._executor = self._open()
                return self._executor.submit(work, list(batch))

    def close(self) -> None:
        self._tether.cut()
        # Cut off, the process ends at once. The executor's own thread must end before the interpreter, or it complains.
        self._executor.shutdown(wait=True, cancel_futures=True)

    def _open(self) -> ProcessPoolExecutor:
        # A forked process would inherit the model's threads without their stacks.
        context = multiprocessing.get_context("spawn")
        given = (self._setup, self._tether.worker_end)
        return ProcessPoolExecutor(1, mp_context=context, initializer=begin, initargs=given)


def process_lanes(setup: Setup, count: int) -> list[Lane]:
    return [ProcessLane(setup) for _ in range(count)]


def cores() -> int:
    """The cores that this process may use, which in a container are fewer than there are."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
