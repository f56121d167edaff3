"""What runs in a process of its own: the model and the key, pictures in, drafts out."""

from __future__ import annotations

import signal
import warnings
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from multiprocessing.connection import Connection

import cv2

from tiacam.app import Drafter, Submission
from tiacam.errors import ImageError
from tiacam.model import load_model
from tiacam.model.device import NO_GPU
from tiacam.registry import Draft, OwnerKey
from tiacam.workers import end_with, keep_freed_memory

Attempt = Draft | ImageError


@dataclass(frozen=True)
class Setup:
    """What a worker needs to begin; `model` is a shipped model's name or the path of a card."""

    model: str
    key: OwnerKey = field(repr=False)
    threads: int = 1


class Worker:
    """Makes drafts, one batch after the other."""

    def __init__(self, setup: Setup) -> None:
        self._drafter = Drafter(load_model(setup.model, threads=setup.threads), setup.key)
        self._pool = ThreadPoolExecutor(1)

    def work(self, batch: Sequence[Submission]) -> list[Attempt]:
        return self._drafter.attempt_all(self._pool, batch)


_worker: Worker | None = None


def begin(setup: Setup, tether: Connection) -> None:
    """Called once in a new process; it ends with its parent, even if that is killed."""
    global _worker
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent hears it and decides
    end_with(tether)
    keep_freed_memory()
    warnings.filterwarnings("ignore", NO_GPU)  # the parent has said it, once for all
    cv2.setNumThreads(setup.threads)  # it would take all cores, as would each of the other processes
    _worker = Worker(setup)


def work(batch: Sequence[Submission]) -> list[Attempt]:
    assert _worker is not None
    return _worker.work(batch)
