"""Draw docs/locator-sheet.jpg: drawn training photos with the truth, and captures with what the locator finds.

python -m benchmarks.locate_sheet
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image

from tiacam.capture import Kind, Strength, simulate
from tiacam.capture.codec import File, encode
from tiacam.capture.sheet import contact_sheet
from tiacam.image import load
from tiacam.locate import Locator, load_locator
from tiacam.training.locator_photos import PhotoMaker

Pixels = NDArray[np.uint8]
ROOT = Path(__file__).parent.parent
PICTURES = ("astronaut", "chelsea", "coffee", "rocket", "hubble", "clock")
PER_ROW = 8
TRUTH, FOUND, TOP_LEFT = (60, 230, 60), (255, 40, 40), (255, 220, 0)


def read(name: str) -> Pixels:
    return np.asarray(Image.open(ROOT / "src" / "tiacam" / "cli" / "pictures" / f"{name}.jpg").convert("RGB"))


def drawn(pictures: list[Pixels], count: int) -> Iterator[Pixels]:
    """Training photos with the outlines that the network is asked for."""
    small = torch.stack([torch.from_numpy(cv2.resize(picture, (192, 192))) for picture in pictures])
    generator = torch.Generator().manual_seed(3)
    made = PhotoMaker()(small.permute(0, 3, 1, 2) / 255, count, 224, generator)
    for photo, corners, weight in zip(made.photos, made.targets.corners, made.targets.weight, strict=True):
        pixels = (photo.clamp(0, 1) * 255).byte().permute(1, 2, 0).contiguous().numpy().copy()
        quads = corners[weight > 0].unique(dim=0) * 224
        yield outline(pixels, [quad.numpy() for quad in quads], TRUTH)


def captured(pictures: list[Pixels], locator: Locator) -> Iterator[Pixels]:
    for kind in Kind:
        for column in range(PER_ROW):
            picture = pictures[column % len(pictures)]
            others = [other for other in pictures if other is not picture]
            strength = Strength.TYPICAL if column < PER_ROW // 2 else Strength.SEVERE
            photo = simulate(
                picture, kind, strength, seed=200 + column, backgrounds=others, long_side=800
            ).photo
            found = locator.locate(load(photo))
            yield outline(photo, [quad.in_pixels(photo.shape[1], photo.shape[0]) for quad in found], FOUND)


def outline(pixels: Pixels, quads: list[NDArray[np.float64]], colour: tuple[int, int, int]) -> Pixels:
    """The photo at the sheet's scale with quadrilaterals, the picture's own top left marked."""
    scale = 240 / max(pixels.shape[:2])
    out = cv2.resize(pixels, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    for quad in quads:
        points = np.round(quad * scale).astype(np.int32)
        cv2.polylines(out, [points], True, colour, 2, cv2.LINE_AA)
        cv2.circle(out, (int(points[0, 0]), int(points[0, 1])), 4, TOP_LEFT, -1, cv2.LINE_AA)
    return np.asarray(out, np.uint8)


def main() -> None:
    pictures = [read(name) for name in PICTURES]
    shown = [*drawn(pictures, 2 * PER_ROW), *captured(pictures, load_locator())]
    sheet = contact_sheet(shown, columns=PER_ROW, cell=180)
    (ROOT / "docs" / "locator-sheet.jpg").write_bytes(encode(sheet, File("JPEG", 74)))


if __name__ == "__main__":
    main()
