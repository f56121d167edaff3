"""The record of one table and one model: results/TABLE--MODEL.json, written whole or not at all."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from tiacam.errors import DataError
from tiacam.evaluate.metrics import Estimate

KEYS: dict[str, type] = {
    "table": str,
    "model": str,
    "command": str,
    "commit": str,
    "seed": int,
    "versions": dict,
    "device": str,
    "n": int,
    "rows": list,
}
ROW_KEYS = {"name", "metric", "value", "low", "high"}


@dataclass(frozen=True)
class Row:
    """One measured number; `low` and `high` are None where there is no interval, `paper` where it gives none."""

    name: str
    metric: str
    value: float
    low: float | None
    high: float | None
    paper: float | None = None

    @classmethod
    def of(cls, name: str, metric: str, estimate: Estimate, paper: float | None = None) -> Row:
        return cls(name, metric, estimate.value, estimate.low, estimate.high, paper)

    def to_json(self) -> dict[str, Any]:
        value = asdict(self)
        if self.paper is None:
            del value["paper"]
        return value

    @classmethod
    def from_json(cls, value: Any, where: str) -> Row:
        if not isinstance(value, Mapping) or set(value) - {"paper"} != ROW_KEYS:
            raise DataError(f"{where} is {value!r}, wanted {', '.join(sorted(ROW_KEYS))} and perhaps paper")
        if not isinstance(value["name"], str) or not isinstance(value["metric"], str):
            raise DataError(f"{where}: name and metric are texts, got {value!r}")
        if not is_number(value["value"]) or not is_number(value.get("paper", 0)):
            raise DataError(f"{where}: value and paper are finite numbers, got {value!r}")
        if not all(value[key] is None or is_number(value[key]) for key in ("low", "high")):
            raise DataError(f"{where}: low and high are finite numbers or null, got {value!r}")
        return cls(**value)


@dataclass(frozen=True)
class Result:
    """All rows of one table for one model, and where they came from."""

    table: str
    model: str  # name and the beginning of the file's hash
    command: str
    commit: str
    seed: int
    versions: Mapping[str, str]
    device: str
    n: int
    rows: tuple[Row, ...]

    def to_json(self) -> dict[str, Any]:
        head = {key: getattr(self, key) for key in KEYS if key != "rows"}
        return {**head, "rows": [row.to_json() for row in self.rows]}

    @classmethod
    def from_json(cls, value: Any, where: str) -> Result:
        """Checked key by key; DataError names the place and what is wrong there."""
        if not isinstance(value, Mapping) or set(value) != set(KEYS):
            keys = sorted(value) if isinstance(value, Mapping) else type(value).__name__
            raise DataError(f"{where} is no result: it has {keys}, wanted {sorted(KEYS)}")
        for key, kind in KEYS.items():
            if not isinstance(value[key], kind) or isinstance(value[key], bool):
                raise DataError(f"{where}: {key} is {value[key]!r}, wanted {kind.__name__}")
        rows = (
            Row.from_json(row, f"{where}: row {number}") for number, row in enumerate(value["rows"], start=1)
        )
        return cls(**{**value, "rows": tuple(rows)})


def is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def result_path(folder: Path, table: str, model: str) -> Path:
    """Where the record of a table and a model (by name or id) lies."""
    return folder / f"{table}--{model.partition('@')[0]}.json"


def write_result(folder: Path, result: Result) -> Path:
    path = result_path(folder, result.table, result.model)
    write_json(path, result.to_json())
    return path


def read_result(path: Path, *, table: str | None = None, model: str | None = None) -> Result:
    """A record, refused if it is malformed or of another table or model id than wanted."""
    result = Result.from_json(read_json(path), str(path))
    for what, got, wanted in (("table", result.table, table), ("model", result.model, model)):
        if wanted is not None and got != wanted:
            raise DataError(f"{path} is of the {what} {got}, wanted {wanted}")
    return result


def read_json(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise DataError(f"cannot read {path}: {error.strerror}") from error
    except ValueError as error:
        raise DataError(f"{path} is no JSON: {error}") from error


def make_folder(folder: Path, what: str) -> None:
    """For what is to be kept in it."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DataError(f"{what} cannot be kept in {folder}: {error.strerror}") from error


def write_json(path: Path, value: Mapping[str, Any]) -> None:
    """Beside it first, then in its place: whoever reads it never sees half a file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        beside.write_text(json.dumps(value, indent=1, allow_nan=False) + "\n", encoding="utf-8")
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)
