"""Processes of ours. Those that work for this one are not reached by Ctrl-C and end with it, however it ends."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from multiprocessing.connection import Connection  # what is of multiprocessing costs every command 10 ms

# glibc's numbers (malloc.h) for how much free memory is kept and from what size on memory is mapped by itself.
M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3
KEPT = 256 << 20
LEAST_MAPPED = 32 << 20  # the most that glibc takes


def keep_freed_memory() -> bool:
    """Do not give memory back to the system only to ask for it again with the next photo; True where that works.

    It saves a sixth of the time of a photo of nothing registered. It is for a whole process, so only for ours: a
    library must not decide it for its host.
    """
    import ctypes

    if sys.platform != "linux":
        return False
    change = getattr(ctypes.CDLL(None), "mallopt", None)  # other C libraries than glibc may have none
    return change is not None and bool(
        change(M_MMAP_THRESHOLD, LEAST_MAPPED) and change(M_TRIM_THRESHOLD, KEPT)
    )


@dataclass(frozen=True)
class Tether:
    """What a worker hangs on: it is let go of when it is cut, and when this process is no more."""

    worker_end: Connection  # goes to the workers
    own_end: Connection

    @classmethod
    def make(cls) -> Tether:
        from multiprocessing import Pipe

        return cls(*Pipe(duplex=False))

    def cut(self) -> None:
        """End the workers, whatever they do: nobody wants it any more."""
        self.own_end.close()


def end_with(worker_end: Connection) -> None:
    """In a worker: a thread waits for the tether to be cut, and ends the process."""
    from multiprocessing.connection import wait

    def hang_on() -> None:
        wait([worker_end])
        os._exit(1)

    threading.Thread(target=hang_on, daemon=True).start()


@contextmanager
def interrupts_held() -> Iterator[None]:
    """Ctrl-C waits until this is over, and never reaches processes that are started within: the one that was started by
    the user ends them. A worker that it killed while starting up would be waited for without end, or tell of it.
    """
    if not hasattr(signal, "pthread_sigmask"):  # not on Windows
        yield
        return
    with answered_at_the_end(at_once=False):
        # What is blocked here is blocked in every process that is started here; other threads still hear it.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            yield
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def answered_at_the_end(*, at_once: bool) -> Iterator[None]:
    """Ctrl-C as other threads hear it is answered at the end, or then too; only the main thread answers at all."""
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(before):
        yield
        return
    heard: list[tuple[int, Any]] = []

    def hear(number: int, frame: Any) -> None:
        heard.append((number, frame))
        if at_once:
            before(number, frame)

    signal.signal(signal.SIGINT, hear)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        if heard:
            before(*heard[0])


# Answered at once and once more: libraries swallow it (Ray as it starts), or turn it into an error of their own (a
# module in C that is being imported).
interrupts_remembered = partial(answered_at_the_end, at_once=True)
