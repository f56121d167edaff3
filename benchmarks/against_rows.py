"""What the answers of two systems come to: rows with intervals, and the photos on which they differ."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from benchmarks.against_contest import Answer, Question
from numpy.typing import NDArray

from tiacam.evaluate.metrics import Estimate, bootstrap_groups, by_picture, estimate_rate, false_claim_rate

SEED = 0
Row = dict[str, Any]
Floats = NDArray[np.floating[Any]]


@dataclass(frozen=True)
class Sheet:
    """One group of questions with everybody's answers; the first system is ours."""

    part: str
    group: str
    records: int
    registered: bool
    questions: Sequence[Question]
    answers: Mapping[str, Sequence[Answer]]

    def row(self, system: str, metric: str, estimate: Estimate) -> Row:
        values = {"value": estimate.value, "low": estimate.low, "high": estimate.high}
        rounded = {key: None if value is None else round(value, 4) for key, value in values.items()}
        where = {"part": self.part, "photos": self.group, "records": self.records}
        counts = {"n": len(self.questions), "pictures": len(set(self.owners.tolist()))}
        return where | {"system": system, "metric": metric} | rounded | counts

    @property
    def owners(self) -> NDArray[np.int64]:
        return np.array([question.picture for question in self.questions])


def split(part: str, records: int, registered: bool, questions: Sequence[Question],
          answers: Mapping[str, Sequence[Answer]]) -> Iterator[Sheet]:  # fmt: skip
    """A sheet of every group, and one of all where there are several."""
    groups = list(dict.fromkeys(question.group for question in questions))
    for group in [*groups, *(["all"] if len(groups) > 1 else [])]:
        chosen = [place for place, one in enumerate(questions) if group in (one.group, "all")]
        picked = {name: [given[place] for place in chosen] for name, given in answers.items()}
        yield Sheet(part, group, records, registered, [questions[place] for place in chosen], picked)


def rows_of(sheet: Sheet) -> Iterator[Row]:
    """Rates count pictures, not photos: photos of one picture are no independent trials."""
    for system in sheet.answers:
        yield from (identified if sheet.registered else unregistered)(sheet, system)
        yield from times(sheet, system)
    yield from ratios(sheet)


def identified(sheet: Sheet, system: str) -> Iterator[Row]:
    given, owners = sheet.answers[system], sheet.owners
    right = np.array([one.picture for one in given]) == owners
    accepted = np.array([one.accepted for one in given])
    metrics = {"top-1": right, "accepted": right & accepted}
    if any(one.exact for one in given):
        metrics["exact messages"] = right & np.array([one.exact for one in given])
    for metric, outcomes in metrics.items():
        yield sheet.row(system, metric, estimate_photos(outcomes, owners)) | {"hits": int(outcomes.sum())}
    yield claims(sheet, system, "another record accepted", accepted & ~right)


def unregistered(sheet: Sheet, system: str) -> Iterator[Row]:
    accepted = np.array([one.accepted for one in sheet.answers[system]])
    yield claims(sheet, system, "accepted though not registered", accepted)


def claims(sheet: Sheet, system: str, metric: str, outcomes: NDArray[np.bool_]) -> Row:
    shares = by_picture(outcomes.astype(np.float64), sheet.owners)
    estimate = false_claim_rate(float(shares.sum()), len(shares))
    return sheet.row(system, metric, Estimate(float(outcomes.mean()), 0.0, estimate.high)) | {
        "hits": int(outcomes.sum())
    }


def estimate_photos(outcomes: NDArray[np.bool_], owners: NDArray[np.int64]) -> Estimate:
    """The share of photos, with the interval of as many trials as there are pictures."""
    trials = estimate_rate(by_picture(outcomes.astype(np.float64), owners))
    return Estimate(float(outcomes.mean()), trials.low, trials.high)


def times(sheet: Sheet, system: str) -> Iterator[Row]:
    for metric, spent in clocks(sheet, system).items():
        yield sheet.row(system, f"{metric}, p50", bootstrap_groups(spent, sheet.owners, np.median, SEED))
        yield sheet.row(system, f"{metric}, p99", Estimate(percentile_99(spent), None, None))


def ratios(sheet: Sheet) -> Iterator[Row]:
    """Ours over each other system's, by the same photos; below one, ours is faster."""
    ours, *others = sheet.answers
    for other in others:
        own, rival = clocks(sheet, ours), clocks(sheet, other)
        for metric in own:
            both = np.stack([own[metric], rival[metric]], axis=1)  # (Q, 2)
            for name, share in (("p50", 50), ("p99", 99)):
                estimate = bootstrap_groups(both, sheet.owners, partial(ratio_at, share), SEED)
                yield sheet.row(f"{ours} / {other}", f"{metric}, {name}", estimate)


def ratio_at(share: float, both: Floats) -> float:
    """The ratio of two percentiles, of the first and of the second column (Q, 2)."""
    own, other = np.percentile(both, share, axis=0)
    return float(own / other)


def clocks(sheet: Sheet, system: str) -> dict[str, Floats]:
    given = sheet.answers[system]
    return {
        "milliseconds": np.array([one.milliseconds for one in given]),
        "milliseconds to the first accepted": np.array([one.milliseconds - one.unneeded for one in given]),
        "core milliseconds": np.array([one.core_milliseconds for one in given]),
    }


def percentile_99(spent: Floats) -> float:
    return float(np.percentile(spent, 99))


def differing(sheet: Sheet) -> dict[str, list[str]]:
    """The names of the photos that were not accepted as what they show, by who failed, and the wrong claims."""
    found: dict[str, list[str]] = {}
    for place, question in enumerate(sheet.questions):
        given = {name: answers[place] for name, answers in sheet.answers.items()}
        passed = {name for name, one in given.items() if one.accepted and one.picture == question.picture}
        wrong = [name for name, one in given.items() if one.accepted and one.picture != question.picture]
        missed = [name for name in given if name not in passed]
        if sheet.registered and missed:
            found.setdefault(f"missed by {' and by '.join(missed)}", []).append(question.name)
        for name in wrong:
            found.setdefault(f"claimed wrongly by {name}", []).append(question.name)
    return found
