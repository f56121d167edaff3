"""Graphs in whole numbers: no two products together leave 16 bits, and what is named stays exact."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

from tiacam.training.export import export_graph
from tiacam.training.fidelity import run_onnx
from tiacam.training.precision import Precision, initialisers
from tiacam.training.whole_numbers import safe_scales

from .pictures import small_pictures


class Layers(nn.Module):
    """Two convolutions and what stands between them in a backbone."""

    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.stem = nn.Conv2d(3, 16, 3, stride=2)
        self.mix = nn.Conv2d(16, 32, 1)

    def forward(self, pixels: torch.Tensor) -> torch.Tensor:
        image = pixels.permute(0, 3, 1, 2).to(torch.float32) / 255.0
        return self.mix(self.stem(image).clamp(0, 6)).clamp(0, 6).mean(dim=(2, 3))


@given(st.integers(0, 2**32 - 1), st.integers(1, 9), st.integers(1, 9), st.sampled_from([1, 3]))
def test_two_neighbouring_products_fit_into_16_bits(seed: int, outputs: int, inputs: int, side: int) -> None:
    weight = np.random.default_rng(seed).normal(size=(outputs, inputs, side, side)).astype(np.float32)
    steps = np.abs(np.round(weight / safe_scales(weight)[:, None, None, None])).reshape(outputs, -1)
    assert steps.max() <= 127
    if side == 1:
        steps = np.pad(steps, ((0, 0), (0, steps.shape[1] % 2)))
        assert (255 * (steps[:, 0::2] + steps[:, 1::2])).max() < 2**15
    else:
        assert 2 * 255 * steps.max() < 2**15


def test_weights_of_zero_have_a_scale() -> None:
    assert (safe_scales(np.zeros((2, 3, 1, 1), np.float32)) > 0).all()


def test_a_graph_in_whole_numbers_gives_nearly_the_same(tmp_path: Path) -> None:
    pictures = small_pictures(32, 32)
    module = Layers().eval()
    export_graph(module, 32, tmp_path / "exact.onnx", Precision.FP32)
    export_graph(module, 32, tmp_path / "whole.onnx", Precision.INT8, pictures[:16])
    exact, whole = (run_onnx(tmp_path / f"{name}.onnx")(pictures[16:]) for name in ("exact", "whole"))
    assert np.abs(exact - whole).max() < 0.05 * np.abs(exact).max()
    assert np.abs(exact - whole).max() > 0


def test_named_layers_stay_exact(tmp_path: Path) -> None:
    pictures = small_pictures(8, 32)
    path = tmp_path / "whole.onnx"
    export_graph(Layers().eval(), 32, path, Precision.INT8, pictures, exact="/stem/")
    kinds = [node.op_type for node in onnx.load(str(path)).graph.node]
    assert "QuantizeLinear" in kinds
    stored = dict(initialisers(path))
    assert not any("stem" in name and kind == "INT8" for name, kind in stored.items())
    assert any("mix" in name and kind == "INT8" for name, kind in stored.items())


def test_a_graph_of_free_size_takes_other_squares(tmp_path: Path) -> None:
    path = tmp_path / "free.onnx"
    export_graph(Layers().eval(), 32, path, Precision.FP32, free_size=True)
    run = run_onnx(path)
    for side in (32, 48):
        assert run(small_pictures(2, side)).shape == (2, 32)


def test_int8_without_pictures_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="needs pictures"):
        export_graph(Layers().eval(), 32, tmp_path / "whole.onnx", Precision.INT8)
