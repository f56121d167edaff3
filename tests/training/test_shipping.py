"""From a tower to a shipped model: the null of random directions, fp16 weights, and a card that loads."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from tiacam.model import load_model
from tiacam.training.calibration import Axes, match_null, measure_whitening
from tiacam.training.export import Description
from tiacam.training.shipping import ship

DESCRIPTION = Description("tiny", "1", "for a test", "none", "noise", {"steps": 0})


class TinyTower(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.convolution = nn.Conv2d(3, 24, 5, stride=4)

    def forward(self, image: Tensor) -> Tensor:
        pooled: Tensor = self.convolution(image).relu().mean(dim=(2, 3))
        return pooled


def noise(count: int, seed: int) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    random = np.random.default_rng(seed)
    coarse = random.integers(0, 256, (count, 4, 4, 3), dtype=np.uint8)
    return coarse.repeat(8, axis=1).repeat(8, axis=2)


def test_the_null_of_independent_axes_has_about_their_number_of_dimensions() -> None:
    raw = np.random.default_rng(0).normal(3.0, 2.0, (3000, 64)).astype(np.float32)
    whitening = measure_whitening(raw)
    assert whitening.mean == pytest.approx(np.full(64, 3.0), abs=0.2)
    assert whitening.scale == pytest.approx(np.full(64, 0.5), abs=0.05)
    unit = whitening.apply(raw)
    null = match_null(unit, unit, "normal numbers")
    assert null.dimensions == pytest.approx(64, rel=0.15)
    assert null.evidence["pairs"] == 3000 * 2999 // 2


def test_the_null_is_of_what_is_registered_against_what_is_shown() -> None:
    shown = np.random.default_rng(0).normal(size=(2000, 32)).astype(np.float32)
    shown /= np.linalg.norm(shown, axis=1, keepdims=True)
    alike = shown + np.float32(0.3) * shown.mean(axis=0) / np.linalg.norm(shown.mean(axis=0))
    alike /= np.linalg.norm(alike, axis=1, keepdims=True)
    assert match_null(alike, alike, "").dimensions < match_null(alike, shown, "").dimensions


def test_the_axes_are_orthonormal_and_sorted_by_variance() -> None:
    random = np.random.default_rng(0)
    features = (random.normal(size=(500, 6)) * [1, 5, 2, 0.1, 3, 0.5]).astype(np.float32)
    directions = Axes.of(features, 4).directions
    assert directions.T @ directions == pytest.approx(np.eye(4), abs=1e-5)
    assert np.all(np.diff((features @ directions).var(axis=0)) < 0)


def test_a_shipped_tower_loads_and_gives_whitened_unit_features(tmp_path: Path) -> None:
    card = ship(TinyTower(), noise(64, 0), noise(64, 1), 8, DESCRIPTION, tmp_path)
    model = load_model(tmp_path / "tiny.json")
    features = model.extract(noise(5, 2))
    assert model.id == card.id
    assert features.shape == (5, 8)
    assert np.linalg.norm(features, axis=1) == pytest.approx(np.ones(5), abs=1e-5)
    assert card.training["onnx_against_torch"] < 0.01
    assert card.null_evidence["pairs"] == 64 * 63 // 2
