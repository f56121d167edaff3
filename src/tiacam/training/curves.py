"""Training curves as CSV: one line for each logged step, continued when a run resumes."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Self, TextIO


class CurveWriter:
    """Appends rows {step, ...} to a CSV file; rows at or after `resume_step` of an earlier run are dropped."""

    def __init__(self, path: Path, columns: tuple[str, ...], resume_step: int = 0) -> None:
        self.path = path
        self.columns = ("step", *columns)
        path.parent.mkdir(parents=True, exist_ok=True)
        kept = [row for row in read_curve(path) if row["step"] < resume_step] if path.exists() else []
        self.file: TextIO = path.open("w", newline="", encoding="utf-8")
        self.writer = csv.DictWriter(self.file, self.columns)
        self.writer.writeheader()
        for row in kept:
            self.write(int(row["step"]), row)

    def write(self, step: int, values: Mapping[str, float]) -> None:
        """One line, on disk at once."""
        self.writer.writerow({"step": step, **{name: f"{values[name]:.8g}" for name in self.columns[1:]}})
        self.file.flush()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.file.close()


def merge_curves(paths: Mapping[str, Path], out: Path) -> None:
    """Several curves of the same columns as one file, with the name of each in its first column."""
    rows = [
        {"name": name, **row, "step": int(row["step"])}
        for name, path in paths.items()
        for row in read_curve(path)
    ]
    out.parent.mkdir(parents=True, exist_ok=True)
    with out.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def read_curve(path: Path) -> list[dict[str, float]]:
    """The rows of a curve."""
    with path.open(newline="", encoding="utf-8") as file:
        return [{name: float(value) for name, value in row.items()} for row in csv.DictReader(file)]
