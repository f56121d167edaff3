"""How far a long job is: a bar on a terminal, elsewhere (a log file, a pipe) a plain line now and then."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from tqdm import tqdm

INTERVAL_S = 30.0  # between two lines; a job that is done sooner writes none
_silent = False


@contextmanager
def silence() -> Iterator[None]:
    """No bars and no lines from this process."""
    global _silent
    before, _silent = _silent, True
    try:
        yield
    finally:
        _silent = before


def progress_bar(
    items: Iterable[Any] | None = None,
    desc: str = "",
    total: float | None = None,
    *,
    disable: bool = False,
    **options: Any,
) -> Any:
    """What `tqdm` takes and gives: the items as they pass, or a bar to `update` and to close."""
    kind = tqdm if sys.stderr is not None and sys.stderr.isatty() else Lines
    disable = disable or _silent or sys.stderr is None
    return kind(items, desc or None, total, disable=disable, **options)


class Lines(tqdm):  # type: ignore[misc]  # tqdm is not annotated
    """A bar that is told in lines: `registering: 1,200 of 4,000 files, 12.3 a second, 4 min left`."""

    monitor_interval = 0  # no thread that would look after it
    disable: bool

    def __init__(self, items: Any, desc: str | None, total: float | None, **options: Any) -> None:
        self._next = time.monotonic() + INTERVAL_S
        self._told: float | None = None  # the count of the last line
        super().__init__(items, desc, total, **options | {"mininterval": INTERVAL_S, "miniters": 1})

    def display(self, *_: object, **__: object) -> None:
        """Called at every `refresh`, which is oftener than a line is wanted."""
        if time.monotonic() >= self._next:
            self._tell()

    def close(self) -> None:
        if self.disable:
            return
        self.disable = True
        self._decr_instances(self)
        if self.leave and self._told not in (None, self.n):
            self._tell()

    def _tell(self) -> None:
        self._next, self._told = time.monotonic() + INTERVAL_S, self.n
        print(describe(self.format_dict), file=sys.stderr, flush=True)


def describe(state: dict[str, Any]) -> str:
    """One line about tqdm's state."""
    done, total, seconds = state["n"], state["total"], state["elapsed"]
    rate = (done - state["initial"]) / seconds if seconds else 0.0
    units = state["unit"] if state["unit"] != "it" else "step"
    parts = [f"{done:,}{f' of {total:,}' if total else ''} {units}s", told_rate(rate)]
    if total and rate:
        parts.append(
            f"{told_time((total - done) / rate)} left" if done < total else f"in {told_time(seconds)}"
        )
    if state["postfix"]:
        parts.append(state["postfix"])
    return f"{state['prefix'] or 'progress'}: {', '.join(parts)}"


def told_rate(rate: float) -> str:
    return f"{rate:.1f} a second" if rate >= 1 or not rate else f"{1 / rate:.1f} s each"


def told_time(seconds: float) -> str:
    """`40 s`, `12 min`, `3 h 20 min`."""
    if seconds < 100:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 100 else f"{minutes // 60} h {minutes % 60} min"
