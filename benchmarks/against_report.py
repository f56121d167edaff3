"""Write the tables of docs/evaluate.md on RootSIFT and RANSAC from results/against-rootsift.json.

python -m benchmarks.against_report
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
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
RATIO = "TIACam / RootSIFT + RANSAC"
# Ours by theirs: heading, whether of photos that show what is registered, metric.
RATIOS = (
    ("found: core time", True, "core milliseconds, p50"),
    ("found: time by the clock", True, "milliseconds, p50"),
    ("found, theirs stopping at the first it accepts", True, "milliseconds to the first accepted, p50"),
    ("not registered: core time", False, "core milliseconds, p50"),
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


def interval(row: Row | None) -> str:
    return "–" if row is None else f"{row['value']:.2f} ({row['low']:.2f} to {row['high']:.2f})"


def ratio_lines(rows: Sequence[Row], parts: dict[str, Any]) -> Iterator[list[str]]:
    """Ours by theirs for every part and group of photos, with the machine: each part is measured by itself."""
    ratios = [row for row in rows if row["system"] == RATIO]
    for row in rows:
        if row["metric"] != "top-1" or row["system"] != RATIO.partition(" / ")[0]:
            continue
        here = [other for other in ratios if other["part"] == row["part"]]
        found = [other for other in here if other["records"] == row["records"]]
        others = [other for other in here if other["records"] != row["records"]]
        size = find(found, photos="", metric="bytes a record")
        origin = parts.get(row["part"], {})
        yield [
            f"{row['part'].partition(' ')[0]}: {row['photos']}",
            f"{row['records']:,}",
            *(
                interval(find(found if shown else others, photos=row["photos"], metric=metric))
                for _, shown, metric in RATIOS
            ),
            "–" if size is None else f"{size['value']:.2f}",
            "; ".join(origin[key] for key in ("model", "device") if key in origin) or "–",
        ]


def table(headings: Sequence[str], cells: Iterable[Sequence[str]]) -> str:
    head = ["| " + " | ".join(headings) + " |", "|" + " --- |" * len(headings)]
    return "\n".join(head + ["| " + " | ".join(line) + " |" for line in cells])


def main() -> None:
    record = json.loads(RECORD.read_text(encoding="utf-8"))
    fill_page(PAGE, "rootsift", table(HEADINGS, lines(record["rows"])))
    headings = (
        "photos",
        "records",
        *(heading for heading, _, _ in RATIOS),
        "bytes a record",
        "measured with",
    )
    fill_page(PAGE, "rootsift-ratios", table(headings, ratio_lines(record["rows"], record["parts"])))


if __name__ == "__main__":
    main()
