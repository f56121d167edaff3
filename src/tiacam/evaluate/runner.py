"""Running a table part by part; what is finished lies in a partial record, and the same run goes on from there."""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tiacam.errors import DataError
from tiacam.evaluate.bench import Bench
from tiacam.evaluate.metrics import Estimate
from tiacam.evaluate.provenance import current_commit, describe_device, installed_versions
from tiacam.evaluate.record import (
    Result,
    Row,
    make_folder,
    read_json,
    read_result,
    result_path,
    write_json,
    write_result,
)
from tiacam.evaluate.table import Table
from tiacam.progress import progress_bar


@dataclass(frozen=True)
class Partial:
    """An unfinished result: which parts are in it, and of which pictures."""

    result: Result
    parts: tuple[str, ...]
    pictures: str

    def to_json(self) -> dict[str, Any]:
        return {"parts": list(self.parts), "pictures": self.pictures, "result": self.result.to_json()}

    def with_part(self, part: str, rows: list[Row]) -> Partial:
        result = replace(self.result, rows=(*self.result.rows, *rows))
        return replace(self, result=result, parts=(*self.parts, part))

    def continues(self, other: Partial) -> bool:
        """Whether both come from the same code, model, pictures and seed, so that their rows belong together."""
        same = replace(self.result, rows=()) == replace(other.result, rows=())
        return same and self.pictures == other.pictures


def run_table(table: Table, bench: Bench, folder: Path, command: str) -> Path:
    """Measure all parts that are not finished yet, and write results/TABLE--MODEL.json; returns its path."""
    refuse_foreign(result_path(folder, table.name, bench.model.id), table, bench)
    path = partial_path(folder, table.name, bench.model.id)
    partial = resume(path, begin(table, bench, command))
    wanted = measurable(table, bench)
    make_folder(folder, "records")  # before the first part is measured, not after it
    left = [part for part in wanted if part not in partial.parts]
    with progress_bar(total=len(wanted), initial=len(wanted) - len(left), desc=table.name) as bar:
        for part in left:
            partial = partial.with_part(part, list(table.measure(bench, part)))
            write_json(path, partial.to_json())
            bar.update()
    written = write_result(folder, with_refused(partial.result, bench))
    path.unlink(missing_ok=True)
    return written


def measurable(table: Table, bench: Bench) -> list[str]:
    """The parts that these data allow; the others are named on stderr with the reason."""
    reasons = {part: table.obstacle(bench, part) for part in table.parts}
    for part, reason in reasons.items():
        if reason is not None:
            print(f"left out: {part}: {reason}", file=sys.stderr)
    parts = [part for part, reason in reasons.items() if reason is None]
    if not parts:
        raise DataError(f"the data allow no part of the table {table.name}")
    return parts


def begin(table: Table, bench: Bench, command: str) -> Partial:
    result = Result(
        table=table.name,
        model=bench.model.id,
        command=command,
        commit=current_commit(),
        seed=bench.seed,
        versions=installed_versions(),
        device=describe_device(bench.model.provider),
        n=bench.n,
        rows=(),
    )
    return Partial(result, (), bench.shelf.digest)


def resume(path: Path, fresh: Partial) -> Partial:
    """The partial record at `path` if it is of this very run, otherwise the fresh one."""
    if not path.exists():
        return fresh
    try:
        value = read_json(path)
        found = Partial(
            Result.from_json(value["result"], str(path)), tuple(value["parts"]), value["pictures"]
        )
    except (DataError, KeyError, TypeError):
        return fresh
    return found if found.continues(fresh) else fresh


def with_refused(result: Result, bench: Bench) -> Result:
    """With a row that counts the pictures that could not be used, where there are any."""
    if not bench.shelf.refused:
        return result
    count = Estimate(float(len(bench.shelf.refused)), None, None)
    return replace(result, rows=(*result.rows, Row.of("pictures", "refused", count)))


def refuse_foreign(path: Path, table: Table, bench: Bench) -> None:
    """Before hours of work: what lies in the result's place must be an older result of the same kind, or nothing."""
    if not path.exists():
        return
    try:
        read_result(path, table=table.name, model=bench.model.id)
    except DataError as error:
        raise DataError(f"{error}; move it away or name another folder") from error


def partial_path(folder: Path, table: str, model: str) -> Path:
    return result_path(folder, table, model).with_suffix(".partial")  # no .json, for it is no result yet
