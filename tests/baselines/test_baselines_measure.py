"""From saved features and readings to records: photos, budgets, and which file a system comes from."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from benchmarks.baselines.embedding import SIZE, Embedder, open_embedder
from benchmarks.baselines.saving import budget_of, save
from benchmarks.baselines.ssl import measure as ssl_measure
from benchmarks.baselines.ssl.features import read_photos, save_features
from benchmarks.baselines.watermarks import measure as watermark_measure
from benchmarks.baselines.watermarks.readings import read_systems
from PIL import Image

from tiacam.model import DEFAULT_MODEL, Whitening, model_names

CORNERS = [[0, 0], [80, 0], [80, 60], [0, 60]]  # of the whole photo
RNG = np.random.default_rng(0)


@pytest.fixture
def photos(tmp_path: Path) -> Path:
    """Two originals; the first has two photos, of which one has corners."""
    for name in ("a", "b", "p", "q", "r"):
        coarse = RNG.integers(256, size=(6, 8, 3), dtype=np.uint8)
        Image.fromarray(coarse).resize((80, 60), Image.Resampling.BILINEAR).save(tmp_path / f"{name}.png")
    lines: list[dict[str, Any]] = [
        {"original": "a.png", "captured": "p.png", "corners": CORNERS},
        {"original": "a.png", "captured": "q.png"},
        {"original": "b.png", "captured": "r.png", "corners": CORNERS},
    ]
    (tmp_path / "pairs.jsonl").write_text("\n".join(json.dumps(line) for line in lines), encoding="utf-8")
    return tmp_path


def test_photos_are_read_whole_and_rectified_where_their_corners_are_known(photos: Path) -> None:
    pictures, names = read_photos(photos, SIZE)
    assert names == {
        "orig": ["a.png", "b.png"],
        "raw": ["a.png", "a.png", "b.png"],
        "rec": ["a.png", "b.png"],
    }
    assert pictures["rec"].shape == (2, SIZE, SIZE, 3)
    assert np.abs(pictures["rec"][0].astype(int) - pictures["raw"][0]).mean() < 2


@pytest.mark.parametrize("name", sorted({DEFAULT_MODEL, *model_names()}))
def test_a_shipped_model_is_shown_pictures_of_its_own_size(name: str) -> None:
    model = open_embedder(name)
    pictures = RNG.integers(256, size=(1, model.size, model.size, 3), dtype=np.uint8)
    assert np.linalg.norm(model.embed(pictures)) == pytest.approx(1, abs=1e-3)


def colours(pixels: np.ndarray) -> np.ndarray:
    """Unit features: means over a 4×4 grid."""
    cells = pixels.reshape(len(pixels), 4, SIZE // 4, 4, SIZE // 4, 3).mean((2, 4)).reshape(len(pixels), -1)
    return np.asarray(cells / np.linalg.norm(cells, axis=1, keepdims=True), np.float32)


def test_a_baseline_s_record_has_both_sides_and_its_budget(photos: Path, tmp_path: Path) -> None:
    pictures, names = read_photos(photos, SIZE)
    held = RNG.integers(256, size=(5, SIZE, SIZE, 3), dtype=np.uint8)
    shown = {
        "held": held,
        "attack/All": held[:4],
        **{f"photos/{form}": found for form, found in pictures.items()},
    }
    white = Whitening(np.zeros(48, np.float32), np.ones(48, np.float32))
    save_features(Embedder("simclr@0123", colours, white, training={"seconds": 45.0}), shown, names, tmp_path)
    ssl_measure.main([str(tmp_path / "simclr.npz"), "--out", str(tmp_path)])
    record = json.loads((tmp_path / "ssl--simclr.json").read_text(encoding="utf-8"))
    rows = {(row["name"], row["metric"]): row for row in record["rows"]}
    assert rows["training", "seconds"]["value"] == 45.0
    assert rows["All", "plain cosine mean"]["value"] == pytest.approx(1, abs=1e-3)
    assert rows["All", "plain cosine mean"]["paper"] == 0.74
    assert ("All", "plain impostor cosine p99.9") in rows
    assert ("photos rectified, gallery of 7", "plain top-1") in rows
    assert (tmp_path / "table1--simclr.json").is_file()


def test_a_shipped_model_s_first_table_is_left_to_its_evaluation(photos: Path, tmp_path: Path) -> None:
    pictures, names = read_photos(photos, SIZE)
    held = RNG.integers(256, size=(5, SIZE, SIZE, 3), dtype=np.uint8)
    shown = {
        "held": held,
        "attack/All": held,
        **{f"photos/{form}": found for form, found in pictures.items()},
    }
    white = Whitening(np.zeros(48, np.float32), np.ones(48, np.float32))
    save_features(Embedder("anchor-9@0123", colours, white), shown, names, tmp_path)
    ssl_measure.main([str(tmp_path / "anchor-9.npz"), "--out", str(tmp_path)])
    assert (tmp_path / "ssl--anchor-9.json").is_file()
    assert not (tmp_path / "table1--anchor-9.json").exists()


def test_a_later_file_s_system_replaces_the_one_of_the_same_name(tmp_path: Path) -> None:
    for name, systems in (
        ("first", {"hidden-30": 40.0, "hidden-100": 41.0}),
        ("second", {"hidden-30": 150.0}),
    ):
        content = {system: {"summary": {"seconds": seconds}} for system, seconds in systems.items()}
        save(tmp_path / f"{name}.pt", {"systems": content, "tensor": torch.zeros(1)})
    found = read_systems([tmp_path / "first.pt", tmp_path / "second.pt"])
    seconds = {name: budget_of(content["summary"])["seconds"] for name, (_, content) in found.items()}
    assert seconds == {"hidden-30": 150.0, "hidden-100": 41.0}
    assert found["hidden-30"][0] != found["hidden-100"][0]


def test_a_watermark_s_record_has_its_cost_both_sides_and_its_budget(tmp_path: Path) -> None:
    messages = RNG.integers(2, size=(4, 30), dtype=np.uint8)
    readings: dict[str, Any] = {
        "digest": "0123",
        "training/seconds": 150.0,
        "messages": messages,
        "psnr": np.full(4, 33.0),
        "ssim": np.full(4, 0.9),
        "marked/identity": messages,
        "unmarked/identity": 1 - messages,
        "screen/raw": 1 - messages,
        "screen/rectified": messages,
    }
    np.savez(tmp_path / "readings.npz", seed=0, **{f"hidden-30/{key}": v for key, v in readings.items()})
    watermark_measure.main([str(tmp_path / "readings.npz"), "--out", str(tmp_path)])
    record = json.loads((tmp_path / "watermark--hidden-30.json").read_text(encoding="utf-8"))
    rows = {(row["name"], row["metric"]): row for row in record["rows"]}
    assert record["model"] == "hidden-30@0123"
    assert rows["training", "seconds"]["value"] == 150.0
    assert rows["marked picture", "PSNR"]["value"] == 33.0
    assert rows["screen rectified", "bit accuracy"]["value"] == 1
    assert rows["screen rectified", "bit accuracy"]["paper"] == 0.706
    assert rows["screen raw", "detected at 1e-6"]["value"] == 0
    assert rows["Identity", "unmarked bit accuracy"]["value"] == 0
