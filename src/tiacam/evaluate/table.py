"""What a table is: a name, its parts in order, and a function that yields the rows of one part."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from tiacam.evaluate.bench import Bench
from tiacam.evaluate.record import Row

Measure = Callable[[Bench, str], Iterator[Row]]
Obstacle = Callable[[Bench, str], str | None]


def no_obstacle(_bench: Bench, _part: str) -> str | None:
    return None


@dataclass(frozen=True)
class Table:
    """A named table; `obstacle` says why a part cannot be measured on some data, None where it can."""

    name: str
    summary: str
    parts: tuple[str, ...]
    measure: Measure
    n: int = 200  # pictures, where the call does not say
    obstacle: Obstacle = no_obstacle
