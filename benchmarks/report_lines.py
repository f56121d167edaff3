"""A line of a table: a number of the paper, its counterpart in the records, the difference, and the other side.

A line that could not be run keeps its place, with the reason and the command that would run it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from benchmarks.report_records import Record, Results

from tiacam.model import DEFAULT_MODEL

NOT_RUN = "not run"

Place = tuple[str, str]  # the name of a row and its metric


@dataclass(frozen=True)
class Line:
    """One number of the paper, where its counterpart stands, and what is shown beside it."""

    label: str
    paper: float | None
    table: str
    name: str
    metric: str
    beside: tuple[str | Place, ...] = ()  # further metrics of the same row, or of another
    model: str | None = None  # a baseline's; the default model's without
    reason: str = ""
    command: str = ""


@dataclass(frozen=True)
class Section:
    """One table of the paper."""

    title: str
    note: str
    heads: tuple[str, ...]  # of the columns beside paper, ours and difference
    lines: tuple[Line, ...]


def found_value(results: Results, line: Line) -> tuple[Record | None, float | None]:
    record = results.of(line.table, line.model)
    return record, None if record is None else record.value(line.name, line.metric)


def cells(results: Results, section: Section, line: Line) -> list[str]:
    """label | paper | ours | difference | … for one line."""
    record, value = found_value(results, line)
    paper = "" if line.paper is None else f"{line.paper:.3f}"
    if record is None or value is None:
        reason = line.reason or "not in the records yet"
        told = f"{NOT_RUN}: {reason}" + (f"; `{line.command}`" if line.command else "")
        return [line.label, paper, told, "", *("" for _ in section.heads)]
    difference = "" if line.paper is None else f"{value - line.paper:+.3f}"
    places = [(line.name, place) if isinstance(place, str) else place for place in line.beside]
    shown = [beside_cell(record, *place) for place in places]
    shown += [""] * (len(section.heads) - len(shown))
    label = f"{line.label}{budget(record)}{stand_in(record, line)}"
    return [label, paper, with_interval(record, line), difference, *shown]


def budget(record: Record) -> str:
    """How long a baseline was trained: a number of it means little without."""
    seconds, steps = (record.value("training", what) for what in ("seconds", "steps"))
    return "" if seconds is None or steps is None else f" ({seconds:.0f} s, {steps:,.0f} steps)"


def stand_in(record: Record, line: Line) -> str:
    """Whose number it is, where it is not the default model's."""
    return "" if line.model or record.model == DEFAULT_MODEL else f" [{record.model}]"


def beside_cell(record: Record, name: str, metric: str) -> str:
    """A number of the other side; of false claims also their bound."""
    row = record.rows.get((name, metric))
    if row is None:
        return ""
    if metric == "PSNR":
        return f"{row['value']:.1f} dB"
    false = metric.endswith("claims") or metric.startswith("unmarked detected")
    bound = f" (at most {row['high']:.3f})" if false else ""
    return f"{row['value']:.3f}{bound}"


def with_interval(record: Record, line: Line) -> str:
    row = record.rows[line.name, line.metric]
    if row["low"] is None:
        return f"{row['value']:.3f}"
    return f"{row['value']:.3f} ({row['low']:.3f} to {row['high']:.3f})"


def heads(section: Section) -> list[str]:
    return ["", "paper", "ours", "difference", *section.heads]


def table_rows(results: Results, section: Section) -> Iterator[list[str]]:
    for line in section.lines:
        yield cells(results, section, line)
