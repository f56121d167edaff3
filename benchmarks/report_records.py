"""Finding numbers in the records under results/: by table, model, row and metric."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from tiacam.model import DEFAULT_MODEL, model_names

Row = dict[str, Any]


@dataclass(frozen=True)
class Record:
    """One record of a table and a model."""

    path: Path
    content: dict[str, Any]

    @property
    def table(self) -> str:
        return str(self.content.get("table", ""))

    @property
    def model(self) -> str:
        return str(self.content.get("model", "")).partition("@")[0]

    @cached_property
    def rows(self) -> dict[tuple[str, str], Row]:
        return {(row["name"], row["metric"]): row for row in self.content["rows"]}

    @cached_property
    def unsized(self) -> dict[tuple[str, str], Row]:
        """The rows by their names without what stands in brackets there: how many pictures and classes."""
        return {(re.sub(r" \([^)]*\)", "", name), metric): row for (name, metric), row in self.rows.items()}

    def value(self, name: str, metric: str, *, bound: bool = False) -> float | None:
        """The number, or the upper end of its interval."""
        row = self.rows.get((name, metric)) or self.unsized.get((name, metric))
        found = None if row is None else row["high" if bound else "value"]
        return None if found is None else float(found)

    def names(self) -> list[str]:
        return list(dict.fromkeys(row["name"] for row in self.content["rows"]))


class Results:
    """All records of tables in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.records = list(read_tables(folder))

    def of(self, table: str, model: str | None = None) -> Record | None:
        """The record of a table for a model; without one for the default model, or for any other that ships."""
        wanted = [model] if model else [DEFAULT_MODEL, *model_names()]
        found = {record.model: record for record in self.records if record.table == table}
        return next((found[name] for name in wanted if name in found), None)


def read_tables(folder: Path) -> Iterator[Record]:
    for path in sorted(folder.glob("*--*.json")):
        content = json.loads(path.read_text(encoding="utf-8"))
        if isinstance(content, dict) and {"table", "model", "rows"} <= set(content):
            yield Record(path, content)
