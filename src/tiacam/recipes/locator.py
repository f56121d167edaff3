"""The locator: quadrilaterals of displayed and printed pictures in photos, from drawn photos with known corners.

    python -m tiacam.recipes.locator --data SHARDS --weights LITE0.pth --seconds 270 --out runs/locator

SHARDS holds shard-*.tar of small pictures; LITE0.pth are EfficientNet-Lite0's published ImageNet weights. Left in
the folder: locator.pt (the averaged weights), locator.csv (the curve), locator.json (the record), and resume.pt, from
which the same command goes on after an interruption. `tiacam.recipes.ship_locator` makes the file that ships.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from tiacam.data import read_pictures
from tiacam.errors import DataError
from tiacam.features.efficientnet import EfficientNetLite0
from tiacam.features.locator import SIZE, LocatorNetwork
from tiacam.training.curves import read_curve
from tiacam.training.devices import describe_device, pick_device
from tiacam.training.locator import LocatorSettings, LocatorTrainer
from tiacam.training.record import write_record
from tiacam.training.restoring import restore_locator

SOURCE_SIZE = 192
FITTED = 64  # pictures on which the normalisations of an exported locator are fitted


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, help="folder with shard-*.tar")
    parser.add_argument("--weights", type=Path, help="published EfficientNet-Lite0 weights (.pth)")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--steps", type=int, default=LocatorSettings.steps)
    parser.add_argument("--seconds", type=float, default=math.inf, help="of training at most")
    parser.add_argument("--batch", type=int, default=LocatorSettings.batch)
    parser.add_argument("--size", type=int, default=SIZE, help="side of the photos in pixels")
    parser.add_argument("--rate", type=float, default=LocatorSettings.rate)
    parser.add_argument("--pictures", type=int, help="use so many only")
    parser.add_argument(
        "--start", type=Path, help="a locator.pt, or an exported locator (.onnx), to begin with"
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--device", default="auto")
    parser.add_argument("--plain", action="store_true", help="without torch.compile")
    options = parser.parse_args(arguments)

    if not (options.start or options.weights):
        parser.error("name the weights to start from: --weights or --start")
    device = pick_device(options.device)
    archives = sorted(options.data.glob("shard-*.tar"))
    if not archives:
        raise DataError(f"{options.data} holds no shard-*.tar")
    settings = LocatorSettings(
        steps=options.steps,
        seconds=options.seconds,
        batch=options.batch,
        size=options.size,
        rate=options.rate,
        seed=options.seed,
        compiled=not options.plain,
    )
    pixels = read_pictures(archives, SOURCE_SIZE, options.pictures)
    trainer = LocatorTrainer(open_network(options, pixels[:FITTED]), pixels, settings, device)
    trainer.run(options.out)
    record(trainer, options.out, len(pixels), " ".join(arguments or sys.argv[1:]))
    return 0


def open_network(options: argparse.Namespace, some: NDArray[np.uint8]) -> LocatorNetwork:
    """A network with Lite0's first stages, or with everything from an earlier run."""
    if options.start and options.start.suffix == ".onnx":
        return restore_locator(options.start, some)
    network = LocatorNetwork()
    if options.start:
        content = torch.load(options.start, map_location="cpu", weights_only=True)
        network.load_state_dict(content["state"]["averaged"])
        return network
    lite = EfficientNetLite0()
    lite.load_published(torch.load(options.weights, map_location="cpu", weights_only=True))
    network.load_lite0(lite)
    return network


def record(trainer: LocatorTrainer, out: Path, pictures: int, arguments: str) -> None:
    """Where the run ended: the last logged values, and how fast it went."""
    rows = read_curve(out / "locator.csv")
    last = {"steps": trainer.step, "seconds": round(trainer.elapsed, 1), "pictures": pictures} | {
        name: value for name, value in (rows[-1] if rows else {}).items() if name not in ("step", "seconds")
    }
    last["photos_per_second"] = round(trainer.step * trainer.settings.batch / max(trainer.elapsed, 1e-9), 1)
    write_record(
        out / "locator.json",
        [last],
        command=f"python -m tiacam.recipes.locator {arguments}",
        seed=trainer.settings.seed,
        device=describe_device(trainer.device),
        n=trainer.step * trainer.settings.batch,
    )
    print(json.dumps(last), file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
