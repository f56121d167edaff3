"""How far numbers move with the seed: measured as the tables measure them, and told as it was measured."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from benchmarks.seeds import cosine_of, exact_of, fill, render, summarise

from tiacam.capture.attacks import Group
from tiacam.evaluate import TABLES, Bench
from tiacam.evaluate.metrics import Estimate

ROOT = Path(__file__).parents[2]


def test_a_cosine_is_that_of_table_one(bench: Bench) -> None:
    rows = {row.metric: row for row in TABLES["table1"].measure(bench, "JPEG")}
    assert cosine_of(bench, "JPEG").value == pytest.approx(rows["cosine mean"].value, abs=1e-6)


def test_messages_are_those_of_the_tables(bench: Bench) -> None:
    rows = {row.metric: row for row in TABLES["geometric"].measure(bench, "Translation 10%")}
    assert exact_of(bench, Group.GEOMETRIC, "Translation 10%").value == rows["keyed exact"].value


def test_the_spread_stands_beside_half_of_the_first_interval() -> None:
    found = [Estimate(0.5, 0.4, 0.7), Estimate(0.7, None, None), Estimate(0.6, None, None)]
    row = summarise("digital", "Screenshot", "keyed exact", "seeds", found)
    assert (row["values"], row["mean"], row["spread"], row["half_interval"]) == (
        [0.5, 0.7, 0.6],
        0.6,
        0.2,
        0.15,
    )


def test_the_document_shows_the_record() -> None:
    text = (ROOT / "docs" / "evaluate.md").read_text(encoding="utf-8")
    record = json.loads((ROOT / "results" / "seeds.json").read_text(encoding="utf-8"))
    assert fill(text, render(record["rows"])) == text
    assert record["seeds"] == [0, 1, 2]
