"""The table in the README, generated from the records under results/.

python -m benchmarks.headline            # writes it between the two marks in README.md
python -m benchmarks.headline --check    # fails if it is not what the records say
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
BEGIN, END = "<!-- results: begin -->\n", "<!-- results: end -->\n"

Record = dict[str, Any]


@dataclass(frozen=True)
class Line:
    """What was measured, what came out, and of how many."""

    what: str
    value: str
    record: str


def demo(record: Record) -> Iterator[tuple[str, str]]:
    genuine = [row for row in record["rows"] if not row["photo"].endswith("unrelated")]
    exact = sum(row["outcome"] == "exact" for row in genuine)
    yield "the demo's simple captures, 8 records: messages exact", f"{exact} of {len(genuine)}"


def camera_photos(record: Record) -> Iterator[tuple[str, str]]:
    for row in record["rows"]:
        where = f"real phone photos of prints, {row['photos']}, {record['records']:,} records"
        yield f"{where}: messages exact", share(row["exact"], row["n"], row["low"], row["high"])
        yield f"{where}: another record claimed", f"{row['another record']} of {row['n']}"


def different_pictures(record: Record) -> Iterator[tuple[str, str]]:
    (row,) = (row for row in record["rows"] if row["part"] == "look-up, claimed")
    what = f"pictures that nobody registered, {row['records']:,} records: claimed (stated: 1 in 1,000,000)"
    yield what, share(row["count"], row["trials"], row["low"], row["high"])


def look_alikes(record: Record) -> Iterator[tuple[str, str]]:
    (row,) = (row for row in record["rows"] if row["part"] == "look-up, claimed")
    what = f"unregistered photos, others of the same events among {row['records']:,} records: claimed"
    yield what, share(row["count"], row["trials"], row["low"], row["high"])


def reference_head(record: Record) -> Iterator[tuple[str, str]]:
    """Both heads on pictures that have nothing to do with each other."""
    rows = [row for row in record["rows"] if "unrelated pictures" in row["shown"] and row["bits"] == 100]
    for row in rows:
        head = "keyed head" if row["head"] == "keyed" else row["head"].replace("reference", "paper's head")
        what = f"{row['shown'].partition(',')[0]}, 100 bits, {head}"
        if row["claimed"] is None:
            yield f"{what}: bits right", f"{row['bit_accuracy']:.1%} of {row['readings']} readings"
        else:
            yield f"{what}: claimed", f"{row['claimed']:.1%} of {row['readings']} readings"


SOURCES: dict[str, Callable[[Record], Iterator[tuple[str, str]]]] = {
    "demo.json": demo,
    "camera-photos.json": camera_photos,
    "different-pictures.json": different_pictures,
    "look-alikes.json": look_alikes,
    "reference-head.json": reference_head,
}


def share(count: int, trials: int, low: float, high: float) -> str:
    return f"{count:,} of {trials:,} ({count / trials:.2%}; 95% interval {low:.2%} to {high:.2%})"


def lines(results: Path) -> Iterator[Line]:
    """What the records say that are there."""
    for name, read in SOURCES.items():
        if (results / name).is_file():
            for what, value in read(json.loads((results / name).read_text(encoding="utf-8"))):
                yield Line(what, value, name)


def table(results: Path) -> str:
    head = "| measured | result | record |\n|---|---|---|\n"
    return head + "".join(
        f"| {line.what} | {line.value} | [{line.record}](results/{line.record}) |\n"
        for line in lines(results)
    )


def fill(text: str, content: str) -> str:
    before, _, rest = text.partition(BEGIN)
    _, found, after = rest.partition(END)
    assert found, "the README has lost its marks"
    return before + BEGIN + content + END + after


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--check", action="store_true")
    args = parser.parse_args()
    path = ROOT / "README.md"
    old = path.read_text(encoding="utf-8")
    new = fill(old, table(ROOT / "results"))
    if args.check:
        return int(old != new)
    path.write_text(new, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
