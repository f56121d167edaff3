"""The ablations: the exam's arithmetic by hand, and a whole run on a few pictures."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import torch
from benchmarks.ablation_exam import main as make_exam
from benchmarks.ablation_exam import read_exam
from benchmarks.ablation_score import DISTORTIONS, Whitening, compare
from benchmarks.ablations import VARIANTS, main

from tiacam.features.anchor import ImageTower, TextProjection

from .pictures import small_pictures, write_tar


def test_a_row_holds_both_sides_and_counts_the_nearest() -> None:
    gallery = torch.eye(3)
    queries = torch.tensor([[1.0, 0.0, 0.0], [0.6, 0.8, 0.0], [0.8, 0.0, 0.6]])
    row = compare("x", queries, gallery, torch.arange(3))
    assert row["genuine"] == pytest.approx((1 + 0.8 + 0.6) / 3, abs=1e-4)
    assert row["impostor"] == pytest.approx((0.6 + 0.8) / 6, abs=1e-4)
    assert row["impostor_max"] == pytest.approx(0.8)
    assert row["top1"] == pytest.approx(2 / 3, abs=1e-4)
    assert row["above_all_impostors"] == pytest.approx(1 / 3, abs=1e-4)


def test_whitening_gives_every_axis_the_same_weight() -> None:
    generator = torch.Generator().manual_seed(0)
    mixed = torch.randn(4000, 6, generator=generator) * torch.tensor([9.0, 5.0, 3.0, 1.0, 0.3, 0.1]) + 2
    white = (mixed - Whitening.of(mixed).mean) @ Whitening.of(mixed).axes
    assert torch.allclose(torch.cov(white.T), torch.eye(6), atol=1e-3)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    pictures = small_pictures(16, 64)
    write_tar(tmp_path / "shard-00.tar", pictures[:10])
    write_tar(tmp_path / "heldout.tar", pictures[10:])
    ids = np.array([f"{index:06}" for index in range(10)])
    np.savez(tmp_path / "captions.npz", ids=ids, emb=np.random.default_rng(0).normal(size=(10, 16)))
    torch.manual_seed(0)
    weights = {"averaged": ImageTower().state_dict(), "text": TextProjection(16).state_dict()}
    torch.save(weights, tmp_path / "anchor.pt")
    exam = ["--heldout", str(tmp_path / "heldout.tar"), "--out", str(tmp_path / "exam.tar"), "--size", "64"]
    assert make_exam(exam) == 0
    return tmp_path


def test_every_variant_is_examined_on_every_distortion_with_equal_steps(folder: Path) -> None:
    assert set(read_exam(folder / "exam.tar", 64)) == {f"heldout/{n}" for n in ("clean", *DISTORTIONS)}
    words = f"""--data {folder} --captions {folder / "captions.npz"} --backbone {folder / "anchor.pt"}
        --augmentor operators --exam {folder / "exam.tar"} --out {folder / "out"} --steps 1 --seeds 1
        --batch 4 --ascent-pictures 2 --size 32 --log-every 1 --device cpu --variants tiacam contrast"""
    assert main(words.split()) == 0
    record = json.loads((folder / "out" / "ablations.json").read_text())
    rows = record["rows"]
    assert {row["variant"] for row in rows} == {"backbone", "tiacam", "contrast"}
    assert {row["steps"] for row in rows if row["variant"] != "backbone"} == {1}
    for variant in ("backbone", "contrast"):
        found = [row["what"] for row in rows if row["variant"] == variant and row["space"] == "whitened"]
        assert found == list(DISTORTIONS)
    assert record["variants"].keys() == VARIANTS.keys()
