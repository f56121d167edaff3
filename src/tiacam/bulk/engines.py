"""Who does the work: this process, several processes, or a Ray cluster; all behind one method with back-pressure."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from types import TracebackType
from typing import Protocol, Self

from tiacam.app import Drafter, Submission
from tiacam.bulk.lanes import LOST, Lane, cores, process_lanes
from tiacam.bulk.working import Attempt, Setup
from tiacam.errors import UnreadableImageError, UsageError
from tiacam.model import load_model
from tiacam.model.device import has_cuda

AHEAD = 2  # batches a lane: one is worked on, one waits, so that no lane ever does
DECODERS = 2
MOST_A_GPU = 8  # processes that share one: each holds a copy of the model

Batch = Sequence[Submission]


@dataclass(frozen=True)
class Done:
    """A batch and what became of each of its pictures."""

    batch: Batch
    attempts: Sequence[Attempt]


class Engine(Protocol):
    def map(self, batches: Iterable[Batch]) -> Iterator[Done]:
        """Work through the batches, in any order, taking the next one only when there is room for it."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


class InlineEngine:
    """This process alone: for a few pictures it is done before another one has started."""

    def __init__(self, drafter: Drafter) -> None:
        self._drafter = drafter

    def map(self, batches: Iterable[Batch]) -> Iterator[Done]:
        with ThreadPoolExecutor(DECODERS) as pool:
            for batch in batches:
                yield Done(batch, self._drafter.attempt_all(pool, batch))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Nothing to end."""


class LaneEngine:
    """Several lanes, each one worker; a lane whose worker dies is opened again and its pictures tried alone."""

    def __init__(self, lanes: Sequence[Lane]) -> None:
        self._lanes = lanes

    def map(self, batches: Iterable[Batch]) -> Iterator[Done]:
        room = deque(list(self._lanes) * AHEAD)
        waiting: dict[Future[list[Attempt]], tuple[Lane, Batch]] = {}
        feed = iter(batches)
        while True:
            while room and (batch := next(feed, None)) is not None:
                if not batch:
                    yield Done((), ())  # whoever feeds us has something to tell
                    continue
                lane = room.popleft()
                waiting[lane.submit(batch)] = (lane, batch)
            if not waiting:
                return
            for future in wait(waiting, return_when=FIRST_COMPLETED).done:
                lane, batch = waiting.pop(future)
                attempts = self._attempts(future, lane, batch)
                room.append(lane)
                yield Done(batch, attempts)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for lane in self._lanes:
            lane.close()

    def _attempts(self, future: Future[list[Attempt]], lane: Lane, batch: Batch) -> Sequence[Attempt]:
        try:
            return future.result()
        except LOST:
            return [self._alone(lane, item) for item in batch]

    def _alone(self, lane: Lane, item: Submission) -> Attempt:
        """One picture of a batch in which a worker died; whichever kills its worker again is the culprit."""
        try:
            (attempt,) = lane.submit([item]).result()
        except LOST as error:
            return UnreadableImageError(f"{item.image!s}: the process that read it died: {error}")
        return attempt


def make_engine(kind: str, setup: Setup, workers: int | None = None, address: str | None = None) -> Engine:
    """Processes on this machine, or a Ray cluster: the one at `address`, by default a new one on this machine."""
    if kind == "processes":
        return LaneEngine(process_lanes(setup, workers or default_workers(setup.model)))
    if kind == "ray":
        from tiacam.bulk.ray_lanes import ray_lanes

        gpu = address is not None or has_gpu(setup.model)  # of other machines only their own workers know
        return LaneEngine(ray_lanes(setup, workers, address, gpu=gpu))
    raise UsageError(f"there is no engine {kind!r}, wanted processes or ray")


def default_workers(model: str) -> int:
    """One process a core, and no more on a GPU than share it well."""
    return min(cores(), MOST_A_GPU) if has_gpu(model) else cores()


def has_gpu(model: str) -> bool:
    """Whether a model really runs on one here: a library that lists CUDA may still not find it."""
    import onnxruntime

    return has_cuda(onnxruntime) and load_model(model).on_gpu
