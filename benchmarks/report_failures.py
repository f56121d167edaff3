"""Captures that were not read, and why: counts by kind and reason, and the sheet of pictures."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

TITLE = "Captures that were not read, and why"
READ = "read"
KINDS = ("screen", "print", "screenshot")


@dataclass(frozen=True)
class Failures:
    """What was captured, how often each kind failed for which reason, and the sheet beside the record."""

    note: str
    rows: list[list[str]]
    sheet: Path | None

    @property
    def heads(self) -> list[str]:
        return ["", *KINDS]


def read_failures(folder: Path) -> Failures | None:
    """The record of failures.json; None where there is none."""
    path = folder / "failures.json"
    if not path.is_file():
        return None
    record = json.loads(path.read_text(encoding="utf-8"))
    counts = Counter((row["reason"], row["kind"]) for row in record["rows"])
    reasons = sorted({reason for reason, _ in counts}, key=lambda reason: (reason != READ, reason))
    strengths = " and ".join(dict.fromkeys(row["strength"] for row in record["rows"]))
    note = (
        f"{record['n']} {strengths} simulated captures of the sample pictures, {record['records']:,} records, "
        f"{record['model'].partition('@')[0]}. Below, some of every reason: green is where the picture is, orange "
        "every place that was looked at; the numbers are the cosine at the true corners, that of the best view, and "
        "what a claim by the feature alone would have needed."
    )
    sheet = path.with_suffix(".jpg")
    rows = [[reason, *(str(counts[reason, kind]) for kind in KINDS)] for reason in reasons]
    return Failures(note, rows, sheet if sheet.is_file() else None)
