"""Every record says where its numbers came from, through one writer."""

from __future__ import annotations

import json
import re
import subprocess
import tomllib
from pathlib import Path

import pytest
from benchmarks.record import write

from tiacam import provenance
from tiacam.evaluate import provenance as of_tables
from tiacam.training import record as of_training


def test_a_record_has_the_fixed_keys_and_what_else_it_is_given(tmp_path: Path) -> None:
    write(tmp_path / "new" / "a.json", command="x", seed=None, n=3, rows=[{"a": "é"}], model="m")
    text = (tmp_path / "new" / "a.json").read_text(encoding="utf-8")
    assert list(json.loads(text)) == ["command", "commit", "seed", "versions", "device", "n", "model", "rows"]
    assert "é" in text


def test_training_and_tables_name_the_same_commit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TIACAM_COMMIT", "c0ffee")
    assert {of_tables.current_commit(), of_training.current_commit(), provenance.current_commit()} == {
        "c0ffee"
    }


def test_outside_of_git_the_commit_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TIACAM_COMMIT", raising=False)

    def fail(*_: str) -> str:
        raise subprocess.CalledProcessError(128, "git")

    monkeypatch.setattr(provenance, "git", fail)
    assert provenance.current_commit(mark_changes=True) == "unknown"


def test_every_system_that_tables_compare_with_has_its_version_stated() -> None:
    folder = Path(__file__).parent.parent
    project = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    optional = project["optional-dependencies"]["peers"]
    lines = (folder / "benchmarks" / "peers" / "requirements.txt").read_text(encoding="utf-8").splitlines()
    names = {re.split(r"[=>]", line)[0] for line in [*optional, *lines] if not line.startswith("tiacam")}
    assert names <= set(provenance.PACKAGES)
