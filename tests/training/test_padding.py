"""Padding goes into the convolutions behind it, and the graph computes what it did."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional

from tiacam.training.padding import fold_padding


class Uneven(nn.Module):
    """A convolution that pads by itself, behind more padding on one side."""

    def __init__(self, mode: str) -> None:
        super().__init__()
        self.mode, self.convolution = mode, nn.Conv2d(3, 4, 3, stride=2, padding=1)

    def forward(self, image: Tensor) -> Tensor:
        padded = functional.pad(image, (0, 1, 2, 0), mode=self.mode)
        features: Tensor = self.convolution(padded)
        return features


def exported(mode: str, path: Path) -> Path:
    torch.manual_seed(0)
    example = (torch.zeros(2, 3, 8, 10),)
    torch.onnx.export(Uneven(mode), example, str(path), opset_version=18, dynamo=False)
    return path


def run(path: Path, image: np.ndarray) -> np.ndarray:  # type: ignore[type-arg]
    session = onnxruntime.InferenceSession(path.read_bytes(), providers=["CPUExecutionProvider"])
    return np.asarray(session.run(None, {session.get_inputs()[0].name: image})[0])


@pytest.mark.filterwarnings("ignore")
def test_zero_padding_goes_into_the_convolution_and_changes_no_result(tmp_path: Path) -> None:
    path = exported("constant", tmp_path / "uneven.onnx")
    image = np.random.default_rng(0).normal(size=(2, 3, 8, 10)).astype(np.float32)
    before = run(path, image)
    assert fold_padding(path) == 1
    assert np.array_equal(run(path, image), before)
    assert [node.op_type for node in onnx.load(str(path)).graph.node] == ["Conv"]


@pytest.mark.filterwarnings("ignore")
def test_padding_that_mirrors_stays(tmp_path: Path) -> None:
    path = exported("reflect", tmp_path / "uneven.onnx")
    image = np.random.default_rng(0).normal(size=(2, 3, 8, 10)).astype(np.float32)
    before = run(path, image)
    assert fold_padding(path) == 0
    assert np.array_equal(run(path, image), before)
