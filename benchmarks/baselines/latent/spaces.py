"""Frozen feature spaces with a gradient: the anchor's, and an ImageNet classifier's, whitened as their cards say."""

from __future__ import annotations

from pathlib import Path

import onnx
import torch
from benchmarks.baselines.saving import read, widen
from onnx import numpy_helper
from torch import Tensor, nn
from torch.nn import functional

from tiacam.features.anchor import ImageTower
from tiacam.model import card_path, read_card
from tiacam.recipes.bootstrap import BootstrapTower


class FeatureSpace(nn.Module):
    """Pictures (B, 3, S, S) in [0, 1] → whitened features (B, D), not of unit length."""

    axes: Tensor
    mean: Tensor
    scale: Tensor

    def __init__(self, tower: nn.Module, model: str) -> None:
        super().__init__()
        path = card_path(model)
        card = read_card(path)
        self.tower, self.model = tower, card.id
        self.register_buffer("axes", read_axes(path.parent / card.file, card.feature_width))
        self.register_buffer("mean", torch.from_numpy(card.whitening.mean))
        self.register_buffer("scale", torch.from_numpy(card.whitening.scale))
        self.eval().requires_grad_(False)

    @property
    def width(self) -> int:
        return len(self.mean)

    def forward(self, pictures: Tensor) -> Tensor:
        features = functional.normalize(self.tower(pictures)) @ self.axes
        white: Tensor = (features - self.mean) * self.scale
        return white


def read_axes(path: Path, width: int) -> Tensor:
    """The principal axes (D, width) that end the model's graph."""
    graph = onnx.load(str(path)).graph
    names = {name for node in graph.node if node.op_type == "MatMul" for name in node.input}
    for tensor in graph.initializer:
        if tensor.name.removesuffix(".half") in names and tensor.dims[-1] == width:
            return torch.from_numpy(numpy_helper.to_array(tensor).copy()).float()
    raise ValueError(f"{path} ends in no matrix of {width} axes")


def open_anchor(checkpoint: Path, model: str) -> FeatureSpace:
    """The space of a shipped anchor, with the weights that it was shipped from."""
    content = read(checkpoint)
    return FeatureSpace(ImageTower.of(widen(content.get("state", content)["averaged"])), model)


def open_classifier(weights: Path, model: str = "bootstrap-0") -> FeatureSpace:
    """The space of an ImageNet classifier's last feature map."""
    tower = BootstrapTower()
    tower.backbone.load_published(torch.load(weights, map_location="cpu", weights_only=True))
    return FeatureSpace(tower, model)
