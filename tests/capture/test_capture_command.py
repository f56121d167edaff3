"""`tiacam simulate`."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from tiacam.capture import Kind, Strength, simulate
from tiacam.cli import simulate as command
from tiacam.errors import ImageError
from tiacam.evaluate.pairs import read_pairs


def run(*arguments: str) -> int:
    parser = argparse.ArgumentParser()
    command.configure(parser)
    return command.run(parser.parse_args(arguments))


@pytest.fixture
def file(picture: NDArray[np.uint8], tmp_path: Path) -> Path:
    path = tmp_path / "bird.png"
    Image.fromarray(picture).save(path)
    return path


@pytest.mark.parametrize("kind", command.KINDS)
def test_files_corners_and_a_sheet_are_written(
    file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], kind: str
) -> None:
    out = tmp_path / "made"
    options = ("--count", "2", "--seed", "4", "--out", str(out), "--long-side", "320", "--json")
    assert run(str(file), "--kind", kind, *options) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [line["seed"] for line in lines] == [4, 5]
    for line in lines:
        with Image.open(line["captured"]) as image:
            assert image.size == (line["width"], line["height"])
        assert np.array(line["corners_tl_tr_br_bl"]).shape == (4, 2)
    with Image.open(out / f"bird--{kind}-typical-sheet.jpg") as sheet:
        assert sheet.width > 600


def test_without_json_the_paths_are_printed(
    file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(
        str(file),
        "--kind",
        "screenshot",
        "--count",
        "1",
        "--out",
        str(tmp_path / "made"),
        "--strength",
        "mild",
    )
    (line,) = capsys.readouterr().out.splitlines()
    assert Path(line).is_file()


def test_without_a_folder_the_files_lie_in_captures(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(str(file), "--kind", "screen", "--strength", "typical", "--long-side", "240") == 0
    told = capsys.readouterr()
    made = [Path(line) for line in told.out.splitlines()]
    sheet = Path("captures/bird--screen-typical-sheet.jpg")
    assert sorted(Path("captures").iterdir()) == sorted([*made, sheet])
    assert len(made) == 4
    assert str(sheet) in told.err


def test_a_folder_of_backgrounds_is_used(file: Path, tmp_path: Path) -> None:
    others = tmp_path / "others"
    others.mkdir()
    Image.new("RGB", (64, 64), (200, 10, 10)).save(others / "red.png")
    options = ("--kind", "print", "--count", "1", "--out", str(tmp_path / "made"), "--long-side", "240")
    assert run(str(file), *options, "--backgrounds", str(others)) == 0


def test_a_missing_picture_is_an_error_that_names_it(tmp_path: Path) -> None:
    with pytest.raises(ImageError, match="nowhere"):
        run(str(tmp_path / "nowhere.png"), "--kind", "print", "--out", str(tmp_path))


@pytest.mark.parametrize("pixels", ["1", "100000", "many"])
def test_a_side_that_no_camera_has_is_refused_by_the_parser(file: Path, tmp_path: Path, pixels: str) -> None:
    with pytest.raises(SystemExit) as refused:
        run(str(file), "--kind", "print", "--out", str(tmp_path / "made"), "--long-side", pixels)
    assert refused.value.code == 2
    assert not (tmp_path / "made").exists()


def test_an_unknown_kind_is_refused_by_the_parser(file: Path, tmp_path: Path) -> None:
    with pytest.raises(SystemExit) as refused:
        run(str(file), "--kind", "fax", "--out", str(tmp_path))
    assert refused.value.code == 2


def test_what_json_prints_is_a_list_of_pairs_that_evaluate_reads(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(file.name, "--kind", "print", "--count", "2", "--json") == 0
    (tmp_path / "pairs.jsonl").write_text(capsys.readouterr().out)
    pairs = read_pairs(tmp_path)
    assert [(pair.original, pair.medium) for pair in pairs] == 2 * [(file, "print")]
    assert all(pair.corners is not None for pair in pairs)


def test_masks_are_written_where_they_are_asked_for(file: Path, tmp_path: Path) -> None:
    run(str(file), "--kind", "print", "--count", "1", "--out", str(tmp_path / "made"), "--masks")
    capture = simulate(np.asarray(Image.open(file)), Kind.PRINT, Strength.TYPICAL, seed=0)
    (path,) = (tmp_path / "made").glob("*-mask.png")
    assert (np.asarray(Image.open(path)) == 255 * capture.mask).all()
