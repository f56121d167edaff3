"""`tiacam evaluate` lists, measures, prints and refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tiacam.cli import main
from tiacam.evaluate import read_result
from tiacam.model import DEFAULT_MODEL


def test_the_list_names_every_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["evaluate", "--list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == [
        "table1",
        "camera",
        "distorted",
        "digital",
        "geometric",
        "occlusion",
        "field",
        "distinctiveness",
        "identification",
        "peers",
    ]
    assert main(["evaluate", "--list", "--json"]) == 0
    assert "All" in json.loads(capsys.readouterr().out.splitlines()[0])["parts"]


def test_a_table_is_measured_printed_and_kept(
    samples: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = [
        "table1",
        "--data",
        samples,
        "--n",
        3,
        "--seed",
        5,
        "--out",
        tmp_path,
        "--threads",
        1,
        "--json",
    ]
    assert main(["evaluate", *map(str, arguments)]) == 0
    printed = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    result = read_result(tmp_path / f"table1--{DEFAULT_MODEL}.json", table="table1")
    assert [row["value"] for row in printed] == [row.value for row in result.rows]
    assert len(printed) == 7 * 6
    assert result.command == f"tiacam evaluate table1 --model {DEFAULT_MODEL} --data pictures --n 3 --seed 5"
    assert (result.n, result.seed) == (3, 5)


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        ([], 2, "--list"),
        (["table1"], 2, "--data"),
        (["table9", "--data", "."], 2, "no table 'table9'"),
        (["table1", "--data", "nowhere"], 1, "there is no nowhere"),
        (["table1", "--data", ".", "--model", "none"], 1, "no model 'none'"),
    ],
)
def test_bad_calls_are_refused(
    arguments: list[str],
    code: int,
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["evaluate", *arguments]) == code
    assert message in capsys.readouterr().err
