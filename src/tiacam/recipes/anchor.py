"""The anchor backbone: EfficientNet-Lite0 trained on pictures, their simulated captures and their captions.

    python -m tiacam.recipes.anchor --data SHARDS --captions EMBEDDINGS.npz --weights LITE0.pth --out runs/anchor

SHARDS holds shard-*.tar of small pictures named by their COCO ids; EMBEDDINGS.npz has a sentence embedding for each
caption (tiacam.data.save_embeddings). Cost and result of each run are in docs/log.md.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from tiacam.data import match_captions, read_names, read_pictures
from tiacam.features.anchor import ImageTower
from tiacam.features.efficientnet import with_repeats
from tiacam.training.anchor import AnchorTrainer, Captions
from tiacam.training.anchor_settings import AnchorSettings
from tiacam.training.checkpoint import averaged_tower
from tiacam.training.parallel import Team, joined
from tiacam.training.restoring import restore_tower

SOURCE_SIZE = 192
FITTED = 256  # pictures on which the normalisations of an exported model are fitted


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--captions", type=Path, required=True)
    parser.add_argument("--weights", type=Path, help="published EfficientNet-Lite0 weights (.pth)")
    parser.add_argument(
        "--start", type=Path, help="checkpoint, or exported model (.onnx), to start from instead"
    )
    parser.add_argument(
        "--blocks",
        type=int,
        nargs=7,
        help="of each stage, to make the start deeper: new blocks do nothing until they are trained",
    )
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--steps", type=int, default=AnchorSettings.steps)
    parser.add_argument("--batch", type=int, default=AnchorSettings.batch)
    parser.add_argument(
        "--size", type=int, default=160, help="of the pictures in training (default %(default)s)"
    )
    parser.add_argument(
        "--seconds", type=float, help="as many steps as fit into so many seconds, instead of --steps"
    )
    parser.add_argument(
        "--whitened",
        type=int,
        default=AnchorSettings.whitened,
        help="axes in which the losses measure features, as a shipped model whitens them; 0 for plain features",
    )
    parser.add_argument(
        "--invariance", type=float, default=AnchorSettings.invariance, help="weight of L_inv (%(default)s)"
    )
    parser.add_argument(
        "--redundancy",
        type=float,
        default=AnchorSettings.redundancy,
        help="weight of that term (%(default)s)",
    )
    parser.add_argument(
        "--apart",
        type=float,
        default=AnchorSettings.apart,
        help="weight of what keeps pictures that look alike apart (%(default)s)",
    )
    parser.add_argument(
        "--caption", type=float, default=AnchorSettings.caption, help="weight of the captions (%(default)s)"
    )
    parser.add_argument("--rate", type=float, default=AnchorSettings.rate, help="of AdamW (%(default)s)")
    parser.add_argument(
        "--frozen",
        type=int,
        default=AnchorSettings.frozen,
        help="stages at the front that learn no more: more steps in the same time (%(default)s)",
    )
    parser.add_argument("--seed", type=int, default=AnchorSettings.seed)
    parser.add_argument("--device", default="auto")
    options = parser.parse_args(arguments)
    if not (options.start or options.weights):
        parser.error("name the weights to start from: --weights or --start")

    team = Team.from_environment()
    device = team.pick_device(options.device)
    with joined(team, device):
        trainer = build_trainer(options, team, device)
        trainer.run(options.out, time.time() + options.seconds if options.seconds else None)
    return 0


def build_trainer(options: argparse.Namespace, team: Team, device: torch.device) -> AnchorTrainer:
    """Everything from files to the first step, the same weights in every process."""
    archives = sorted(options.data.glob("shard-*.tar"))
    table = match_captions(options.captions, read_names(archives))
    captions = Captions(
        *(torch.from_numpy(part).to(device) for part in (table.embeddings, table.first, table.count))
    )
    torch.manual_seed(options.seed)
    pixels = read_pictures(archives, SOURCE_SIZE)
    tower = starting_tower(options, pixels)
    settings = replace(
        AnchorSettings(),
        steps=options.steps,
        batch=options.batch,
        sizes=((0.0, options.size),),
        seed=options.seed,
        whitened=options.whitened,
        invariance=options.invariance,
        redundancy=options.redundancy,
        apart=options.apart,
        caption=options.caption,
        rate=options.rate,
        frozen=options.frozen,
    )
    return AnchorTrainer(tower, pixels, captions, settings, device, team)


def starting_tower(options: argparse.Namespace, pixels: NDArray[np.uint8]) -> ImageTower:
    if options.start and options.start.suffix == ".onnx":
        tower = restore_tower(options.start, pixels[:FITTED])
    elif options.start:
        tower = ImageTower.of(averaged_tower(options.start))
    else:
        tower = ImageTower()
        tower.backbone.load_published(torch.load(options.weights, map_location="cpu", weights_only=True))
    return tower.deepened(with_repeats(options.blocks)) if options.blocks else tower


if __name__ == "__main__":
    sys.exit(main())
