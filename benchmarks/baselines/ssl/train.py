"""Train the self-supervised baselines, every one of them for the same time, from the same ImageNet weights.

    python -m benchmarks.baselines.ssl.train --data SHARDS --weights LITE0.pth --out DIR --seconds 50
    python -m benchmarks.baselines.ssl.train ... --steps 200 --batch 128 --size 112 --shown 160 --device cpu

SHARDS holds shard-*.tar of pictures. Written: DIR/NAME.pt for each method, the tower in fp16, its curve and what was
run. Cost: 6 × seconds, and some 20 s for reading. benchmarks.baselines.ssl.measure measures them.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from benchmarks.baselines.embedding import SIZE
from benchmarks.baselines.saving import halve, save
from benchmarks.baselines.ssl.methods import METHODS, build
from benchmarks.baselines.ssl.training import SslSettings, SslTrainer
from torch import Tensor
from torch.nn import functional

from tiacam.data import read_shards
from tiacam.features.anchor import ImageTower
from tiacam.training.calibration import Axes
from tiacam.training.devices import describe_device, pick_device
from tiacam.training.record import current_commit, installed_versions

SOURCE_SIZE = 192
WHITENED = 6000  # pictures for axes and whitening, as many as for the shipped models


def train_one(
    name: str, weights: Mapping[str, Tensor], pixels: Tensor, settings: SslSettings, shown: int
) -> dict[str, Any]:
    """One method: weights, curve and summary; its features are taken of pictures of the side `shown`."""
    torch.manual_seed(settings.seed)
    tower = ImageTower()
    tower.backbone.load_published(weights)
    trainer = SslTrainer(build(name, tower), pixels, settings)
    began = time.monotonic()
    trainer.run()
    seconds = time.monotonic() - began
    summary = {
        "name": name,
        "seconds": seconds,
        "steps": trainer.step,
        "batch": settings.batch,
        "size": settings.size,
        "shown": shown,
        "pairs_per_second": trainer.step * settings.batch / seconds,
    }
    print(json.dumps(summary), json.dumps(trainer.curve[-1:]), flush=True)
    return {
        "summary": summary,
        "curve": trainer.curve,
        "tower": halve(trainer.method.tower.state_dict()),
        **find_axes(trainer.method.tower, pixels[:WHITENED], shown),
    }


@torch.no_grad()
def find_axes(tower: ImageTower, pixels: Tensor, side: int) -> dict[str, Tensor]:
    """Principal axes of the features of some training pictures, and mean and deviation along them."""
    tower.eval()
    rows = []
    for part in pixels.split(100):
        shown = functional.interpolate(part.permute(0, 3, 1, 2).float() / 255, (side,) * 2, mode="bicubic")
        rows.append(functional.normalize(tower(shown.clamp(0, 1))).cpu())
    features = torch.cat(rows).numpy()
    axes = Axes.of(features, features.shape[1]).directions.astype(np.float16)
    along = features @ axes.astype(np.float32)
    mean, deviation = along.mean(axis=0), along.std(axis=0)
    return {
        name: torch.from_numpy(value)
        for name, value in (("axes", axes), ("mean", mean), ("deviation", deviation))
    }


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument(
        "--weights", type=Path, required=True, help="published EfficientNet-Lite0 weights (.pth)"
    )
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seconds", type=float, default=SslSettings.seconds, help="for each method")
    parser.add_argument("--steps", type=int, help="for each method, instead of seconds")
    parser.add_argument("--methods", nargs="+", default=list(METHODS), choices=METHODS)
    parser.add_argument("--pictures", type=int, help="only the first so many")
    parser.add_argument("--size", type=int, default=SslSettings.size)
    parser.add_argument(
        "--shown", type=int, default=SIZE, help="side of the pictures whose features are taken"
    )
    parser.add_argument("--batch", type=int, default=SslSettings.batch)
    parser.add_argument("--full", action="store_true", help="fp32 throughout instead of bf16")
    parser.add_argument("--device", default="auto")
    options = parser.parse_args(arguments)

    device = pick_device(options.device)
    weights = torch.load(options.weights, map_location="cpu", weights_only=True)
    pixels = torch.from_numpy(read_shards(options.data, SOURCE_SIZE, options.pictures)).to(device)
    settings = SslSettings(
        seconds=options.seconds,
        steps=options.steps,
        size=options.size,
        batch=options.batch,
        half=not options.full,
    )
    run = {
        "command": " ".join(["python -m benchmarks.baselines.ssl.train", *sys.argv[1:]]),
        "commit": current_commit(),
        "versions": installed_versions(),
        "device": describe_device(device),
        "pictures": len(pixels),
    }
    for name in options.methods:
        found = train_one(name, weights, pixels, settings, options.shown)
        save(options.out / f"{name}.pt", {**run, **found})
    return 0


if __name__ == "__main__":
    sys.exit(main())
