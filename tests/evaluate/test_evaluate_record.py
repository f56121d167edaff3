"""Results are written whole, read back equal, and anything else is refused by name."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tiacam.errors import DataError
from tiacam.evaluate import TABLES, Result, Row, read_result, write_result
from tiacam.evaluate.tables import OUTSIDE

RESULT = Result(
    table="table1",
    model="anchor-0@0123456789ab",
    command="tiacam evaluate table1",
    commit="unknown",
    seed=0,
    versions={"python": "3.11"},
    device="CPU",
    n=2,
    rows=(
        Row("JPEG", "cosine mean", 0.9, 0.8, 0.95, 0.98),
        Row("JPEG", "impostor cosine max", 0.4, None, None),
    ),
)


def test_a_result_comes_back_as_it_was_written(tmp_path: Path) -> None:
    path = write_result(tmp_path / "new", RESULT)
    assert path == tmp_path / "new" / "table1--anchor-0.json"
    assert read_result(path, table="table1", model=RESULT.model) == RESULT
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]


def test_the_file_has_the_keys_of_the_schema_and_paper_only_where_there_is_one(tmp_path: Path) -> None:
    value = json.loads(write_result(tmp_path, RESULT).read_text(encoding="utf-8"))
    expected = ["table", "model", "command", "commit", "seed", "versions", "device", "n", "rows"]
    assert list(value) == expected
    assert set(value["rows"][0]) == {"name", "metric", "value", "low", "high", "paper"}
    assert "paper" not in value["rows"][1]


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        ({"table": "digital"}, "of the table table1, wanted digital"),
        ({"model": "b@1"}, "of the model anchor-0@"),
    ],
)
def test_a_result_of_another_table_or_model_is_refused(
    tmp_path: Path, wanted: dict[str, str], message: str
) -> None:
    path = write_result(tmp_path, RESULT)
    with pytest.raises(DataError, match=message):
        read_result(path, **wanted)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"extra": 1}, "is no result"),
        ({"n": "many"}, "n is 'many', wanted int"),
        ({"seed": True}, "seed is True"),
        ({"rows": [{"name": "x"}]}, "row 1 is"),
        ({"rows": [{"name": "x", "metric": "y", "value": None, "low": 0, "high": 1}]}, "finite numbers"),
        ({"rows": [{"name": "x", "metric": "y", "value": 1, "low": "0", "high": 1}]}, "low and high"),
        ({"rows": [{"name": 1, "metric": "y", "value": 1, "low": 0, "high": 1}]}, "texts"),
    ],
)
def test_a_malformed_result_is_refused_with_the_place(
    tmp_path: Path, change: dict[str, Any], message: str
) -> None:
    path = tmp_path / "table1--anchor-0.json"
    path.write_text(json.dumps({**RESULT.to_json(), **change}), encoding="utf-8")
    with pytest.raises(DataError, match=message):
        read_result(path)


@pytest.mark.parametrize("content", ["", "{", "[]", "null"])
def test_what_is_no_json_object_is_refused(tmp_path: Path, content: str) -> None:
    path = tmp_path / "table1--anchor-0.json"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(DataError, match="table1--anchor-0"):
        read_result(path)


def test_a_missing_result_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="cannot read"):
        read_result(tmp_path / "none.json")


def kept() -> dict[Path, dict[str, Any]]:
    """All records of this project."""
    results = Path(__file__).parents[2] / "results"
    return {path: json.loads(path.read_text(encoding="utf-8")) for path in sorted(results.glob("*.json"))}


def test_every_kept_result_of_a_table_is_valid() -> None:
    named = {path: path.name.partition("--")[0] for path in kept() if "--" in path.name}
    tables = {path for path, content in kept().items() if "table" in content}
    assert {path for path, name in named.items() if name in {*TABLES, *OUTSIDE}} <= tables
    for path in tables:
        read_result(path, table=named[path])


def test_every_kept_record_says_where_it_came_from() -> None:
    wanted = {"command", "commit", "seed", "versions", "device", "n", "rows"}
    assert {
        path.name: wanted - set(content) for path, content in kept().items() if not wanted <= set(content)
    } == {}
