"""The shipped graphs, evaluated in torch as the white-box attacker does, give the features that onnxruntime gives."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
import torch

from tiacam.model import load_model, model_names

sys.path.insert(0, str(Path(__file__).parents[2]))
from benchmarks.onnx_torch import WholeModel


@pytest.mark.parametrize("name", model_names())
def test_torch_and_onnxruntime_agree_and_gradients_reach_the_pixels(name: str) -> None:
    model = load_model(name, threads=1)
    side = model.card.input_size
    coarse = np.random.default_rng(1).integers(0, 256, (2, 14, 14, 3), np.uint8)
    cells = -(-side // 14)
    pixels = np.kron(coarse, np.ones((1, cells, cells, 1), np.uint8))[:, :side, :side]
    image = (torch.from_numpy(pixels).permute(0, 3, 1, 2) / 255).requires_grad_(True)
    features = WholeModel(name)(image)
    assert (features.detach().numpy() * model.extract(pixels)).sum(axis=1) == pytest.approx(1.0, abs=1e-3)
    (gradient,) = torch.autograd.grad(features[:, 0].sum(), image)
    assert float(gradient.abs().max()) > 0
