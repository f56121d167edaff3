"""S6, linear probes: every row of the paper's table, the set that stands in for its own, and what was not run."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from benchmarks.baselines.paper import DISTORTIONS, S6_PER_CENT
from benchmarks.report_baselines import SELF_SUPERVISED
from benchmarks.report_lines import NOT_RUN
from benchmarks.report_records import Record, Results, Row

TITLE = "S6 and Fig. 4: linear probes"
NOTE = (
    "Top-1 and Top-5 of a linear classifier on frozen features, trained on clean pictures. Sizes, and the set in the "
    "place of one that could not be had, stand in the first column: chance, and how many pictures a classifier may "
    "learn from, differ from the paper's 15,000 and 5,000 of other sets, so only rows of one set compare with each "
    "other. Pictures of COCO are classed by the one object that their captions name (`benchmarks/coco_objects.py`), "
    "most often a person, and our backbone was trained on COCO pictures, though not on those of the test."
)
HEADS = (
    "",
    "paper, Top-1",
    "paper, Top-5",
    "ours, Top-1",
    "difference",
    "ours, Top-5",
    "difference, Top-5",
)
CLEAN = "Clean"
CONDITIONS = (CLEAN, *(name for name in DISTORTIONS if name != "All"))
ROW_NAME = re.compile(
    r"(?P<set>\S+) \((?P<classes>\d+) classes, (?P<train>\d+) train, (?P<test>\d+) test\): (?P<condition>.+)"
)
MODELS = (
    ("TIACam", None),
    ("ImageNet EfficientNet-Lite0", "bootstrap-0"),
    *((title, name) for name, title in SELF_SUPERVISED.items()),
)


@dataclass(frozen=True)
class Stand:
    """A set of the paper, and ours in its place: the first of these names that a record has."""

    paper: str
    names: tuple[str, ...]
    command: str


STANDS = (
    Stand("CIFAR-100", ("cifar100", "cifar10"), "cifar100=DIR"),
    Stand("Imagenette", ("imagenette",), "imagenette=DIR"),
    Stand("MSCOCO", ("coco", "coco-captions"), "coco-captions=DIR"),
    Stand("Caltech-256", ("caltech256", "caltech101"), "caltech256=DIR"),
)


@dataclass(frozen=True)
class Probed:
    """What one record has of one set: a label that says what it is, and rows by condition and metric."""

    label: str
    rows: dict[tuple[str, str], Row]


def probe_rows(results: Results) -> Iterator[list[str]]:
    """Set by set, method by method, condition by condition."""
    for stand in STANDS:
        for title, model in MODELS:
            record = results.of("probes", model)
            probed = None if record is None else found(record, stand)
            for condition in CONDITIONS:
                yield cells(stand, title, model, condition, probed)


def found(record: Record, stand: Stand) -> Probed | None:
    """The first of the sets in this place that the record has."""
    matches = [(match, row) for row in record.content["rows"] if (match := ROW_NAME.match(row["name"]))]
    for name in stand.names:
        rows = {(match["condition"], row["metric"]): row for match, row in matches if match["set"] == name}
        if rows:
            match = next(match for match, _ in matches if match["set"] == name)
            place = "" if name == stand.names[0] else f" (here {name})"
            return Probed(f"{place}, {match['train']} + {match['test']} pictures", rows)
    return None


def cells(stand: Stand, title: str, model: str | None, condition: str, probed: Probed | None) -> list[str]:
    printed = [printed_share(stand.paper, model, condition, top) for top in (0, 1)]
    label = f"{stand.paper}, {title}, {condition}"
    papers = [share(value) for value in printed]
    if probed is None:
        return [label, *papers, reason(stand, model), "", "", ""]
    shown = []
    for value, metric in zip(printed, ("Top-1", "Top-5"), strict=True):
        row = probed.rows[condition, metric]
        shown += [with_interval(row), "" if value is None else f"{row['value'] - value:+.3f}"]
    return [f"{stand.paper}{probed.label}: {title}, {condition}", *papers, *shown]


def reason(stand: Stand, model: str | None) -> str:
    """Why there is no number, and what would give it."""
    weights = model in SELF_SUPERVISED
    told = "the weights of these short trainings are not kept" if weights else "not probed on this set yet"
    first = "python -m benchmarks.baselines.ssl.train, then " if weights else ""
    asked = f"runs/ssl/{model}.pt" if weights else (model or "MODEL")
    return f"{NOT_RUN}: {told}; `{first}python -m benchmarks.probes measure {asked} --sets {stand.command}`"


def printed_share(place: str, model: str | None, condition: str, top: int) -> float | None:
    """The paper's number as a share; it has none for clean pictures, nor for models of ours."""
    rows = S6_PER_CENT[place].get("tiacam" if model is None else model)
    if rows is None or condition == CLEAN:
        return None
    return rows[top][CONDITIONS.index(condition) - 1] / 100


def share(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"


def with_interval(row: Row) -> str:
    return f"{row['value']:.3f} ({row['low']:.3f} to {row['high']:.3f})"
