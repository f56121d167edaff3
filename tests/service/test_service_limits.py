"""Places, rates and bytes: what is over a limit is refused at once, and what was held is given back."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable

import pytest

from tiacam.errors import BusyError, SlowWorkError, TooManyRequestsError, UsageError
from tiacam.service.limits import MOST_CALLERS, ByteBudget, RateLimit
from tiacam.service.pool import WorkPool
from tiacam.service.settings import Settings


class Clock:
    """A clock that stands still until it is moved."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def spend_all(limit: RateLimit, caller: str) -> int:
    spent = 0
    while True:
        try:
            limit.spend(caller)
        except TooManyRequestsError:
            return spent
        spent += 1


def test_a_caller_has_a_burst_and_then_the_rate() -> None:
    clock = Clock()
    limit = RateLimit(60, clock)
    assert spend_all(limit, "a") == 10
    clock.now += 3
    assert spend_all(limit, "a") == 3
    assert spend_all(limit, "b") == 10


def test_the_refusal_says_when_the_next_request_is_allowed() -> None:
    clock = Clock()
    limit = RateLimit(6, clock)
    limit.spend("a")
    with pytest.raises(TooManyRequestsError) as refusal:
        limit.spend("a")
    assert refusal.value.retry_after == 10
    clock.now += 10
    limit.spend("a")


def test_a_rate_of_zero_is_no_limit_and_forgotten_callers_cost_nothing() -> None:
    free = RateLimit(0)
    for _ in range(1000):
        free.spend("a")
    limit = RateLimit(60, Clock())
    for number in range(MOST_CALLERS + 50):
        limit.spend(str(number))
    assert len(limit._buckets) == MOST_CALLERS


def test_bytes_are_given_back_even_after_an_error() -> None:
    budget = ByteBudget(100)
    with budget.hold() as take:
        take(60)
        with pytest.raises(BusyError):
            take(60)
    assert budget.held == 0
    with budget.hold() as take:
        take(100)
        with pytest.raises(BusyError), budget.hold() as other:
            other(1)
    assert budget.held == 0


async def fill(pool: WorkPool, work: Callable[[], int], count: int) -> list[object]:
    return await asyncio.gather(*(pool.run(work, 5) for _ in range(count)), return_exceptions=True)


def test_work_beyond_the_places_is_refused_and_never_waits() -> None:
    pool, gate = WorkPool(1, 2), threading.Event()

    async def check() -> None:
        first = asyncio.create_task(fill(pool, lambda: 7 if gate.wait(5) else 0, 6))
        await asyncio.sleep(0.1)
        assert pool.taken == pool.places == 3
        gate.set()
        results = await first
        assert [result for result in results if result == 7] == [7, 7, 7]
        assert sum(isinstance(result, BusyError) for result in results) == 3

    asyncio.run(check())
    pool.close()
    assert pool.taken == 0


def test_work_that_takes_too_long_is_given_up_and_keeps_its_place_until_it_ends() -> None:
    pool, gate = WorkPool(1, 1), threading.Event()

    async def check() -> None:
        with pytest.raises(SlowWorkError):
            await pool.run(lambda: gate.wait(5), 0.05)
        assert pool.taken == 1
        never: list[int] = []
        with pytest.raises(SlowWorkError):
            await pool.run(lambda: never.append(1), 0.05)
        gate.set()
        assert await pool.run(lambda: 3, 5) == 3
        assert never == []

    asyncio.run(check())
    pool.close()
    assert pool.taken == 0


@pytest.mark.parametrize("wrong", [{"max_bytes": 0}, {"workers": 0}, {"waiting": -1}, {"work_s": 0.0}])
def test_limits_that_make_no_sense_are_refused(wrong: dict[str, int]) -> None:
    with pytest.raises(UsageError):
        Settings(**wrong)  # type: ignore[arg-type]
