"""The JPEG surrogate against a real codec, beside kornia's, on photos.

python benchmarks/augment_jpeg.py --heldout TAR      → results/jpeg-surrogate.json
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from tiacam.augment.codec import code_jpeg, scale_tables
from tiacam.augment.rounding import Rounding
from tiacam.data import read_pictures
from tiacam.training.metrics import psnr
from tiacam.training.pairs import to_planes
from tiacam.training.record import write_record
from tiacam.training.targets.compression import save_and_read

QUALITIES = (10, 30, 50, 80, 95)


def measure(photos: np.ndarray[Any, np.dtype[np.uint8]], quality: int) -> dict[str, Any]:
    """Mean PSNR to Pillow's output for every form of the surrogate."""
    image = to_planes(photos) / 255
    real = to_planes(np.stack([save_and_read(photo, quality, "JPEG") for photo in photos])) / 255
    row: dict[str, Any] = {"name": f"quality-{quality}", "n": len(photos)}
    for name, output in surrogates(image, float(quality)):
        decibels = psnr(output, real)
        row[f"psnr_{name}"] = decibels.mean().item()
        row[f"ci95_{name}"] = 1.96 * decibels.std().item() / len(photos) ** 0.5
    print(row, file=sys.stderr)
    return row


def surrogates(image: Tensor, quality: float) -> Iterator[tuple[str, Tensor]]:
    """The picture itself, our forms of rounding, and kornia's codec where it is installed."""
    qualities = torch.full((len(image),), quality)
    yield "none", image
    for form in Rounding:
        yield form.value, code_jpeg(image, scale_tables(qualities), torch.ones(2, 64), form)
    if find_spec("kornia"):
        from kornia.enhance import jpeg_codec_differentiable

        yield "kornia", jpeg_codec_differentiable(image, qualities).clamp(0, 1)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--heldout", type=Path, required=True, help="tar of photos")
    parser.add_argument("--photos", type=int, default=100)
    parser.add_argument("--size", type=int, default=128)
    parser.add_argument("--out", type=Path, default=Path("results/jpeg-surrogate.json"))
    options = parser.parse_args()
    photos = read_pictures([options.heldout], options.size, options.photos)
    rows = [measure(photos, quality) for quality in QUALITIES]
    command = f"python benchmarks/augment_jpeg.py --photos {options.photos} --size {options.size}"
    write_record(options.out, rows, command=command, seed=0, device="cpu", n=len(photos))


if __name__ == "__main__":
    main()
