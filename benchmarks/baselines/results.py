"""Records of measured baselines, in the schema of `tiacam.evaluate.record`."""

from __future__ import annotations

import os
import platform
import re
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from tiacam.evaluate.metrics import Estimate
from tiacam.evaluate.provenance import current_commit, installed_versions
from tiacam.evaluate.record import Result, Row, write_result

# Read when the run begins: by its end, others may have committed.
COMMIT = current_commit()


def record(
    folder: Path, table: str, model: str, command: str, seed: int, n: int, rows: Sequence[Row]
) -> Path:
    """Write results/TABLE--MODEL.json; the rows were computed on this machine's CPU."""
    result = Result(
        table=table,
        model=model,
        command=hide_places(command),
        commit=COMMIT,
        seed=seed,
        versions={**installed_versions(), "torch": version("torch")},
        device=f"CPU, {platform.machine()}, {os.cpu_count()} cores",
        n=n,
        rows=tuple(rows),
    )
    return write_result(folder, result)


def training_rows(saved: Mapping[str, Any]) -> Iterator[Row]:
    """The budget of a training, from the keys `training/…` of saved features or readings."""
    for key in (key for key in saved if key.startswith("training/")):
        where, _, what = key.partition("/")
        yield Row.of(where, what, Estimate(float(saved[key]), None, None))


def hide_places(command: str) -> str:
    """The command with the last two parts of every absolute path: where a machine keeps its data says nothing."""
    return re.sub(r"(?<=[\s=])/[^\s;]+", lambda place: "/".join(Path(place.group()).parts[-2:]), command)
