"""The null of a card measured anew: the file, and so the records made with it, stay as they are."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tiacam.errors import DataError
from tiacam.model import card_path, load_model, read_card
from tiacam.recipes import match_null
from tiacam.training.fidelity import Pixels

from .pictures import small_pictures, write_tar


def match(tmp_path: Path, pictures: Pixels) -> int:
    write_tar(tmp_path / "unseen.tar", pictures)
    words = [
        "bootstrap-0",
        "--unseen",
        str(tmp_path / "unseen.tar"),
        "--source",
        "noise",
        "--out",
        str(tmp_path),
    ]
    return match_null.main(words)


def test_the_new_card_differs_in_its_null_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(match_null, "FEWEST", 20)
    assert match(tmp_path, small_pictures(24, 64)) == 0
    before, after = card_path("bootstrap-0"), tmp_path / "bootstrap-0.json"
    old, new = (json.loads(path.read_text()) for path in (before, after))
    assert new["null"]["source"] == "noise"
    assert new["null"]["pairs"] == 24 * 23 // 2
    assert old.pop("null") != new.pop("null")
    assert old == new
    assert read_card(after).id == load_model("bootstrap-0").id


def test_too_few_pictures_are_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"24 pictures, .* at least 1,000"):
        match(tmp_path, small_pictures(24, 64))
