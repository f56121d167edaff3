"""The figure of S2 and the two commands of the augmentor."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from skimage import data

from tiacam.augment import AutoAugmentor
from tiacam.augment.sheet import STRENGTHS, TITLES, draw_sheet, from_bytes, to_bytes
from tiacam.cli import augment, train
from tiacam.cli.extras import require_extra
from tiacam.errors import UsageError

from .small import WIDTH, pictures


def run_augment(*arguments: str) -> int:
    parser = argparse.ArgumentParser()
    augment.configure(parser)
    return augment.run(parser.parse_args(list(arguments)))


@pytest.mark.parametrize("width", [None, WIDTH])
def test_the_sheet_has_a_row_for_each_module_and_one_for_all(width: int | None) -> None:
    sheet = draw_sheet(AutoAugmentor.build(width), pictures(batch=1, size=48)[0])
    assert sheet.width > (1 + len(STRENGTHS)) * 48
    assert sheet.height > (len(TITLES) + 1) * 48


def test_bytes_and_planes_are_inverse() -> None:
    pixels = data.astronaut()[:40, :50]
    assert np.array_equal(to_bytes(from_bytes(pixels)), pixels)


@pytest.mark.parametrize("option", [[], ["--manual"]])
def test_the_command_draws_a_sheet(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], option: list[str]
) -> None:
    Image.fromarray(data.coffee()).save(tmp_path / "coffee.png")
    out = tmp_path / "new" / "sheet.png"
    assert (
        run_augment(str(tmp_path / "coffee.png"), "--out", str(out), "--size", "48", "--json", *option) == 0
    )
    assert json.loads(capsys.readouterr().out)["width"] == Image.open(out).width


@pytest.mark.parametrize("name", ["sheet.xyz", "sheet"])
def test_a_name_that_says_no_format_is_refused_before_anything_is_drawn(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError, match=r"ends in \.png"):
        run_augment(str(tmp_path / "coffee.png"), "--out", str(tmp_path / "new" / name))
    assert list(tmp_path.iterdir()) == []


def test_train_hands_its_options_to_the_recipe(capsys: pytest.CaptureFixture[str]) -> None:
    parser = argparse.ArgumentParser()
    train.configure(parser)
    options = parser.parse_args(["augmentor", "--help"])
    with pytest.raises(SystemExit) as stopped:
        train.run(options)
    assert stopped.value.code == 0
    assert "--heldout" in capsys.readouterr().out


def test_a_missing_package_names_the_extra_that_brings_it() -> None:
    with pytest.raises(UsageError, match=r"tiacam\[train\]"):
        require_extra("no_such_package", "train")
