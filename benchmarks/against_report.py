"""Write the table of docs/evaluate.md from results/against-rootsift.json.

python -m benchmarks.against_report
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from benchmarks.pages import fill_page
from benchmarks.record import ROOT

PAGE, RECORD = ROOT / "docs" / "evaluate.md", ROOT / "results" / "against-rootsift.json"
HEADINGS = (
    "photos",
    "records",
    "system",
    "top-1",
    "accepted",
    "exact messages",
    "another record",
    "accepted, not registered",
    "ms, p50 / p99",
    "core ms, p50",
    "not registered: core ms, p50",
)
Row = dict[str, Any]


def find(rows: Sequence[Row], **wanted: object) -> Row | None:
    return next((row for row in rows if all(row[key] == value for key, value in wanted.items())), None)


def count(row: Row | None) -> str:
    return "–" if row is None else f"{row['hits']} of {row['n']}"


def whole(row: Row | None) -> str:
    return "–" if row is None else f"{row['value']:,.0f}"


def lines(rows: Sequence[Row]) -> Iterator[list[str]]:
    """One for every system, part and group of photos that show what is registered."""
    for first in (row for row in rows if row["metric"] == "top-1"):
        part = [row for row in rows if row["part"] == first["part"] and row["system"] == first["system"]]
        here = [
            row for row in part if row["photos"] == first["photos"] and row["records"] == first["records"]
        ]
        strangers = [row for row in part if row["metric"] == "accepted though not registered"]
        false = find(strangers, photos=first["photos"]) or strangers[0]
        without = [
            row for row in part if (row["photos"], row["records"]) == (false["photos"], false["records"])
        ]
        p50, p99 = (whole(find(here, metric=f"milliseconds, {name}")) for name in ("p50", "p99"))
        yield [
            f"{first['part'].partition(' ')[0]}: {first['photos']}",
            f"{first['records']:,}",
            first["system"],
            *(count(find(here, metric=name)) for name in ("top-1", "accepted", "exact messages")),
            count(find(here, metric="another record accepted")),
            count(false),
            f"{p50} / {p99}",
            whole(find(here, metric="core milliseconds, p50")),
            whole(find(without, metric="core milliseconds, p50")),
        ]


def table(rows: Sequence[Row]) -> str:
    head = ["| " + " | ".join(HEADINGS) + " |", "|" + " --- |" * len(HEADINGS)]
    return "\n".join(head + ["| " + " | ".join(cells) + " |" for cells in lines(rows)])


def main() -> None:
    rows = json.loads(RECORD.read_text(encoding="utf-8"))["rows"]
    fill_page(PAGE, "rootsift", table(rows))


if __name__ == "__main__":
    main()
