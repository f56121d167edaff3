"""Folders of real photos: what their list may say, and what is refused by name."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tiacam.errors import DataError
from tiacam.evaluate.pairs import read_pairs

SQUARE = [[0, 0], [10, 0], [10, 10], [0, 10]]


def write_list(folder: Path, *entries: dict[str, Any] | str) -> Path:
    for name in ("a.jpg", "b.jpg"):
        (folder / name).write_bytes(b"")
    lines = [entry if isinstance(entry, str) else json.dumps(entry) for entry in entries]
    (folder / "pairs.jsonl").write_text("\n".join(lines) + "\n\n", encoding="utf-8")
    return folder


def test_pairs_have_their_files_medium_and_corners_under_either_name(tmp_path: Path) -> None:
    plain = {"original": "a.jpg", "captured": "b.jpg"}
    folder = write_list(
        tmp_path,
        plain,
        {**plain, "medium": "print", "corners": SQUARE},
        {**plain, "corners_tl_tr_br_bl": SQUARE},
    )
    pairs = read_pairs(folder)
    assert [pair.medium for pair in pairs] == ["", "print", ""]
    assert pairs[0].corners is None
    assert np.array_equal(np.stack([pair.corners for pair in pairs[1:]]), [SQUARE, SQUARE])
    assert {pair.original for pair in pairs} == {tmp_path / "a.jpg"}
    assert len(read_pairs(folder, 2)) == 2


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "line 1 is no JSON"),
        ("[]", "must name an original and a captured"),
        ('{"original": "a.jpg"}', "must name an original and a captured"),
        ('{"original": "a.jpg", "captured": "gone.jpg"}', "line 1: there is no gone.jpg"),
        ('{"original": "a.jpg", "captured": "b.jpg", "corners": [[1, 2]]}', "four points"),
        ('{"original": "a.jpg", "captured": "b.jpg", "corners": "none"}', "no numbers"),
        ('{"original": "a.jpg", "captured": "b.jpg", "medium": "Print"}', "medium is 'Print', wanted screen"),
        ('{"original": "a.jpg", "captured": "b.jpg", "medium": ["print"]}', "medium is"),
    ],
)
def test_a_line_that_is_wrong_is_named(line: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=message):
        read_pairs(write_list(tmp_path, line))


def test_a_list_in_another_encoding_is_refused(tmp_path: Path) -> None:
    (tmp_path / "pairs.jsonl").write_bytes(b'{"original": "caf\xe9.jpg"}')
    with pytest.raises(DataError, match="no text in UTF-8"):
        read_pairs(tmp_path)


def test_a_folder_without_pairs_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"cannot read .*pairs\.jsonl"):
        read_pairs(tmp_path)
    with pytest.raises(DataError, match="lists no pairs"):
        read_pairs(write_list(tmp_path))
