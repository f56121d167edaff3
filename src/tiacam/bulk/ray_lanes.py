"""Lanes on a Ray cluster: one actor a core, each with its share of a GPU where there are any."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from concurrent.futures import Future
from typing import Any

from tiacam.app import Submission
from tiacam.bulk.lanes import Lane, WorkerLostError
from tiacam.bulk.working import Attempt, Setup, Worker
from tiacam.errors import UsageError
from tiacam.workers import interrupts_remembered

SHARE_OF_A_GPU = 0.125
ATTEMPTS = 3


class RayLane:
    """One actor; Ray starts it again when it dies."""

    def __init__(self, ray: Any, actor: Any) -> None:
        self._ray = ray
        self._actor = actor

    @interrupts_remembered()
    def submit(self, batch: Sequence[Submission]) -> Future[list[Attempt]]:
        answer: Future[list[Attempt]] = Future()

        def hand_on(done: Future[list[Attempt]]) -> None:
            error = done.exception()
            if error is None:
                answer.set_result(done.result())
            elif isinstance(error, self._ray.exceptions.RayActorError | self._ray.exceptions.RaySystemError):
                answer.set_exception(WorkerLostError(str(error)))
            else:
                answer.set_exception(error)

        self._actor.work.remote(list(batch)).future().add_done_callback(hand_on)
        return answer

    def close(self) -> None:
        self._ray.kill(self._actor)


def join(ray: Any, address: str | None) -> None:
    """Join or make a cluster; on a busy machine a new one may take longer to start than Ray waits for it."""
    for attempt in range(1, ATTEMPTS + 1):
        try:
            with interrupts_remembered():
                ray.init(
                    address=address, include_dashboard=False, log_to_driver=False, logging_level=logging.ERROR
                )
            return
        except Exception as error:  # Ray raises plain exceptions
            ray.shutdown()
            if attempt == ATTEMPTS:
                raise UsageError(f"Ray did not start: {error}") from error


@interrupts_remembered()
def ray_lanes(setup: Setup, workers: int | None, address: str | None, *, gpu: bool) -> list[Lane]:
    """Join the cluster at `address`, or make one of this machine; every node needs tiacam and the pictures.

    With `gpu` the workers take their shares of those that Ray knows; otherwise there may be some that nobody can use.
    """
    try:
        import ray
    except ImportError as error:
        raise UsageError("the engine ray needs Ray: pip install 'tiacam[bulk]'") from error
    if not ray.is_initialized():
        join(ray, address)
    resources: dict[str, float] = ray.cluster_resources()  # type: ignore[no-untyped-call]
    gpus = resources.get("GPU", 0) if gpu else 0
    count = workers or int(min(resources["CPU"], gpus / SHARE_OF_A_GPU) if gpus else resources["CPU"])
    actor = ray.remote(num_cpus=1, num_gpus=SHARE_OF_A_GPU if gpus else 0, max_restarts=-1)(Worker)
    return [RayLane(ray, actor.remote(setup)) for _ in range(count)]
