"""`tiacam export --checkpoint`: graphs that agree with torch, in three precisions, with their cost stated."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from tiacam.cli import main
from tiacam.features.anchor import EMBEDDING, ImageTower, TextProjection
from tiacam.features.extractor import Extractor, ExtractorSettings
from tiacam.model import load_model
from tiacam.training.precision import initialisers

from .pictures import small_pictures, write_tar

EXTRACTOR = {"inputs": EMBEDDING, "hidden": 32, "bottleneck": 16, "outputs": 32, "blocks": 1}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Shards, unseen pictures, an anchor, and a stage trained on it."""
    found = tmp_path_factory.mktemp("export")
    pictures = small_pictures(40, 64)
    write_tar(found / "shard-00.tar", pictures[:20])
    write_tar(found / "unseen.tar", pictures[20:])
    torch.manual_seed(0)
    tower = lively_tower(torch.from_numpy(pictures[:20]).permute(0, 3, 1, 2) / 255)
    weights = {"averaged": tower.state_dict(), "text": TextProjection().state_dict()}
    torch.save(weights, found / "anchor.pt")
    state = {"extractor": Extractor(ExtractorSettings(**EXTRACTOR)).state_dict()}  # type: ignore[arg-type]
    about = {"commit": "abc", "pictures": 20, "extractor": EXTRACTOR}
    torch.save({"step": 7, "state": state | {"about": about}}, found / "tiacam.pt")
    return found


def lively_tower(pictures: Tensor) -> ImageTower:
    """Random weights with the statistics that they have on pictures: without them, nothing comes out at the end."""
    tower = ImageTower().train()
    for module in tower.modules():
        if isinstance(module, (nn.BatchNorm1d, nn.BatchNorm2d)):
            module.momentum = None  # the mean of all batches, which are one
    with torch.no_grad():
        tower(pictures)
    return tower.eval()


def export(folder: Path, out: Path, *words: str) -> int:
    base = f"export --data {folder} --unseen {folder / 'unseen.tar'} --out {out} --size 64"
    return main([*base.split(), *words])


def exported(folder: Path, out: Path, *words: str) -> dict[str, Any]:
    assert export(folder, out, *words) == 0
    return dict(json.loads((out / "model.json").read_text()))


@pytest.mark.parametrize(
    ("precision", "stored", "most"), [("fp32", "FLOAT", 20), ("fp16", "FLOAT16", 10), ("int8", "INT8", 6)]
)
def test_an_anchor_in_each_precision_agrees_with_torch_and_says_how_well(
    folder: Path, tmp_path: Path, precision: str, stored: str, most: int
) -> None:
    card = exported(folder, tmp_path, "--checkpoint", str(folder / "anchor.pt"), "--precision", precision)
    fidelity = card["training"]["fidelity"]
    assert card["training"]["precision"] == precision
    assert fidelity["cosine_mean"] > (0.5 if precision == "int8" else 0.99)
    assert {"top1_torch", "top1_onnx", "genuine_torch", "genuine_onnx", "largest_difference"} <= set(fidelity)
    assert stored in {kind for _, kind in initialisers(tmp_path / "model.onnx")}
    assert (tmp_path / "model.onnx").stat().st_size < most * 2**20
    model = load_model(tmp_path / "model.json")
    assert model.extract(small_pictures(2, 64)).shape == (2, card["feature_width"])


def test_the_text_anchored_stage_ships_with_its_backbone_and_its_history(
    folder: Path, tmp_path: Path
) -> None:
    (tmp_path / "more.json").write_text('{"data": "twenty pictures"}')
    words = ["--checkpoint", str(folder / "tiacam.pt"), "--backbone", str(folder / "anchor.pt")]
    card = exported(folder, tmp_path, *words, "--training", str(tmp_path / "more.json"))
    assert card["training"]["commit"] == "abc"
    assert card["training"]["data"] == "twenty pictures"
    assert card["feature_width"] <= EXTRACTOR["bottleneck"]
    assert card["training"]["onnx_against_torch"] < 0.1  # random weights amplify rounding


def test_a_stage_without_its_backbone_is_refused(folder: Path, tmp_path: Path) -> None:
    assert export(folder, tmp_path, "--checkpoint", str(folder / "tiacam.pt")) == 2


def test_what_is_missing_is_named(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["export", "--checkpoint", str(folder / "anchor.pt")]) == 2
    assert "--out, --data, --unseen" in capsys.readouterr().err


def test_a_file_that_is_no_checkpoint_is_an_error(folder: Path, tmp_path: Path) -> None:
    torch.save({"something": 1}, tmp_path / "other.pt")
    assert export(folder, tmp_path, "--checkpoint", str(tmp_path / "other.pt")) == 1
