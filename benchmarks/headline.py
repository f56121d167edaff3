"""The tables in the README and all of docs/results.md, generated from the records under results/.

python -m benchmarks.headline            # writes them, the README's between its two marks
python -m benchmarks.headline --check    # fails if they are not what the records say
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.headline_five import five_lines
from benchmarks.report_document import document, markdown
from benchmarks.report_records import Record as TableRecord
from benchmarks.report_records import Results

from tiacam.evaluate.paper import BIT_ACCURACY, CAMERA_BITS, COSINE
from tiacam.model import DEFAULT_MODEL

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
        if row.get("the other of two"):
            two = f"{where}: two registered pictures in the photo, the other one named"
            yield two, f"{row['the other of two']} of {row['n']}"
        yield f"{where}: another record claimed", f"{row['another record']} of {row['n']}"


def different_pictures(record: Record) -> Iterator[tuple[str, str]]:
    (row,) = (row for row in record["rows"] if row["part"] == "look-up, claimed")
    what = f"pictures that nobody registered, {row['records']:,} records: claimed (stated: 1 in 1,000,000)"
    yield what, share(row["count"], row["trials"], row["low"], row["high"])


def look_alikes(record: Record) -> Iterator[tuple[str, str]]:
    (row,) = (row for row in record["rows"] if row["part"] == "look-up, claimed")
    what = f"unregistered photos, others of the same events among {row['records']:,} records: claimed"
    yield what, share(row["count"], row["trials"], row["low"], row["high"])


def twins(record: Record) -> Iterator[tuple[str, str]]:
    """Which of two look-alikes is named, and how often the wrong one if that one alone is registered."""
    for registered, named, what in (
        ("both", "own", "both registered: the right one named"),
        ("both", "twin", "both registered: the other one named"),
        ("the twin alone", "twin", "the other one alone registered: claimed"),
    ):
        rows = [row for row in record["rows"] if (row["registered"], row["named"]) == (registered, named)]
        counts = [f"{row['hits']} of {row['n']} {row['photos']}s" for row in rows]
        yield f"the {record['n']} nearest pairs of a collection, {what}", ", ".join(counts)


def reference_head(record: Record) -> Iterator[tuple[str, str]]:
    """Both heads on pictures that have nothing to do with each other."""
    rows = [row for row in record["rows"] if "unrelated pictures" in row["shown"] and row["bits"] == 100]
    for row in rows:
        keyed = row["head"] == "keyed"
        head = (
            "keyed head on one feature alone" if keyed else row["head"].replace("reference", "paper's head")
        )
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
    "twins.json": twins,
    "reference-head.json": reference_head,
}


def share(count: int, trials: int, low: float, high: float) -> str:
    return f"{count:,} of {trials:,} ({count / trials:.2%}; 95% interval {low:.2%} to {high:.2%})"


def lines(results: Path) -> Iterator[Line]:
    """What the records say that are there; one that was measured with another model than the default says so."""
    for name, read in SOURCES.items():
        if (results / name).is_file():
            record = json.loads((results / name).read_text(encoding="utf-8"))
            model = record.get("model", DEFAULT_MODEL).partition("@")[0]
            for what, value in read(record):
                yield Line(what if model == DEFAULT_MODEL else f"{what} (with `{model}`)", value, name)


def compared(results: Results) -> Iterator[list[str]]:
    """Cosines, and whole messages of 100 bits by the default head, beside the paper's cosines and bit accuracies."""
    if (record := results.of("table1")) is not None:
        for part, paper in COSINE.items():
            yield compare(record, f"cosine, {part}", paper, part, "cosine mean", "impostor cosine p99.9")
    if (record := results.of("camera")) is not None:
        for name in record.names():
            kind, _, what = name.partition(", ")
            if (name, "keyed exact, 100 bits") in record.rows and ("typical" in what or "real" in what):
                paper = CAMERA_BITS.get(kind, {}).get(100)
                yield compare(record, f"messages, {name}", paper, name, "keyed exact, 100 bits", CLAIMS)


def attacked(results: Results) -> Iterator[list[str]]:
    for title in ("digital", "geometric"):
        if (record := results.of(title)) is not None:
            for name, printed in BIT_ACCURACY.items():
                if (name, "keyed exact") in record.rows:
                    yield compare(record, f"messages, {name}", printed, name, "keyed exact", CLAIMS)


CLAIMS = "unregistered keyed claims"


def compare(
    record: TableRecord, label: str, paper: float | None, name: str, metric: str, other: str
) -> list[str]:
    """label | paper | ours with its interval | difference | the other side | record"""
    row = record.rows[name, metric]
    ours = f"{row['value']:.3f} ({row['low']:.3f} to {row['high']:.3f})"
    difference = "" if paper is None else f"{row['value'] - paper:+.3f}"
    beside = record.rows.get((name, other))
    side = "" if beside is None else f"{beside['value']:.3f}"
    if beside is not None and other == CLAIMS:
        side = f"{beside['value']:.3f} (at most {beside['high']:.3f})"
    link = f"[{record.path.stem}](results/{record.path.name})"
    return [label, "" if paper is None else f"{paper:.3f}", ours, difference, side, link]


COMPARED_HEAD = ["", "paper", "ours", "difference", "unrelated p99.9, or unregistered claimed", "record"]
COMPARED_NOTE = (
    "A cosine is held against the paper's cosine; the share of whole messages of 100 bits, exact or not at all,\n"
    "against the paper's share of right bits, the laxer measure. With the paper's own head, other lengths and other\n"
    "systems: [docs/results.md](docs/results.md).\n\n"
)


def table(results: Path) -> str:
    found = Results(results)
    shown = COMPARED_NOTE + markdown(COMPARED_HEAD, compared(found)) + "\n" + facts(results)
    attacks = markdown(COMPARED_HEAD, attacked(found))
    folded = (("Beside the paper, and more", shown), ("Digital and geometric attacks (S4)", attacks))
    return "".join([*five_lines(results), "\n", *(fold(title, content) for title, content in folded)])


def fold(title: str, content: str) -> str:
    return f"<details><summary>{title}</summary>\n\n{content}\n</details>\n\n"


def facts(results: Path) -> str:
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
    results = ROOT / "results"
    readme = ROOT / "README.md"
    wanted = {
        readme: fill(readme.read_text(encoding="utf-8"), table(results)),
        ROOT / "docs" / "results.md": document(Results(results)),
    }
    for path, content in wanted.items():
        if args.check and (not path.is_file() or path.read_text(encoding="utf-8") != content):
            print(f"{path.name} is not what the records say: make report", file=sys.stderr)
            return 1
        if not args.check:
            path.write_text(content, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
