"""Making a trained tower into a model that ships: axes, whitening, null, ONNX file, card, and the check of them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from tiacam.model import ModelCard, foresee
from tiacam.progress import progress_bar
from tiacam.training.calibration import Axes, match_null, measure_whitening
from tiacam.training.export import Description, export_graph, write_card
from tiacam.training.fidelity import compare, run_onnx
from tiacam.training.precision import Precision

TYPICAL = 256  # pictures from which the ranges of activations are measured for int8
EXACT = r".*backbone/(stem|blocks/blocks\.0)/"  # layers that int8 leaves as they are
CHECKED = 200  # unseen pictures on which the graph is compared with torch


class ShippedModel(nn.Module):
    """uint8 pixels (B, S, S, 3) → unit embeddings of the tower along their principal axes (B, D)."""

    def __init__(self, tower: nn.Module) -> None:
        super().__init__()
        self.tower = tower
        self.axes: Tensor
        self.register_buffer("axes", torch.empty(0))

    def embed(self, pixels: Tensor) -> Tensor:
        image = pixels.permute(0, 3, 1, 2).to(torch.float32) / 255.0
        return functional.normalize(self.tower(image))

    def forward(self, pixels: Tensor) -> Tensor:
        return self.embed(pixels) @ self.axes


def ship(
    tower: nn.Module,
    pixels: NDArray[np.uint8],
    unseen: NDArray[np.uint8],
    width: int,
    description: Description,
    folder: Path,
    precision: Precision = Precision.FP16,
) -> ModelCard:
    """Write NAME.onnx and NAME.json; axes and whitening come from `pixels` (N, S, S, 3), the null from `unseen`.

    Whitening and null are those of the graph as it ships. The card says how far it strays from torch, and what that
    costs, on unseen pictures.
    """
    model = ShippedModel(tower.eval()).eval()
    model.axes = torch.from_numpy(Axes.of(embed_all(model, pixels), width).directions)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{description.name}.onnx"
    size = pixels.shape[1]
    export_graph(model, size, path, precision, pixels[:TYPICAL], exact=EXACT)
    shipped = run_onnx(path)
    whitening = measure_whitening(shipped(pixels))

    def extract(some: NDArray[np.uint8]) -> NDArray[np.float32]:
        return whitening.apply(shipped(some))

    null = match_null(foresee(extract, unseen), extract(unseen), description.unseen)
    fidelity = compare(model, path, unseen[:CHECKED], whitening)
    training = {
        **description.training,
        "precision": str(precision),
        "onnx_against_torch": round(fidelity.largest_difference, 6),
        "fidelity": fidelity.as_card(),
    }
    return write_card(path, replace(description, training=training), size, whitening, null)


def embed_all(model: ShippedModel, pixels: NDArray[np.uint8], batch: int = 32) -> NDArray[np.float32]:
    """Unit embeddings of all pictures, before the axes."""
    rows = []
    for start in progress_bar(range(0, len(pixels), batch), desc="features"):
        with torch.no_grad():
            rows.append(model.embed(torch.from_numpy(pixels[start : start + batch])).numpy())
    return np.concatenate(rows)
