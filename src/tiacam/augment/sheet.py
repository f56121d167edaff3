"""The figure of S2: a picture, each module at three strengths, and the composition."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont
from torch import Tensor

from .augmentor import AutoAugmentor
from .distortion import Distortion, Params

STRENGTHS = (0.33, 0.66, 1.0)
DRAWS = 12
TITLES = {
    "perspective": "Perspective",
    "photometric": "Photometric",
    "additive": "Additive noise",
    "filtering": "Filtering",
    "compression": "Compression",
    "moire": "Moire",
}
GAP, CAPTION, TITLE = 6, 18, 110
BACKGROUND, INK = "white", "black"


@dataclass(frozen=True)
class SheetRow:
    """One line of the figure: its title, and the pictures with what is written under each."""

    title: str
    pictures: Sequence[Tensor]  # each (3, H, W)
    captions: Sequence[str]


@torch.no_grad()
def draw_sheet(augmentor: AutoAugmentor, picture: Tensor, seed: int = 0) -> Image.Image:
    """The picture (3, H, W) in [0, 1] distorted by every module of the augmentor, strongest on the right."""
    rows = [module_row(augmentor, name, picture, seed) for name in TITLES if name in augmentor.chain]
    return lay_out([*rows, composition_row(augmentor, picture, seed)])


def module_row(augmentor: AutoAugmentor, name: str, picture: Tensor, seed: int) -> SheetRow:
    """One draw of a module at rising strengths, beside the original."""
    module, image = augmentor.distortion(name), picture[None]
    params = strongest(module, image, seed)
    distorted = [module(image, params.at(strength))[0] for strength in STRENGTHS]
    captions = ["original", *(f"strength {strength:.2g}" for strength in STRENGTHS)]
    return SheetRow(TITLES[name], [picture, *distorted], captions)


def strongest(module: Distortion[Any], image: Tensor, seed: int) -> Params:
    """Of several draws the one that changes the picture most, so that the figure shows what can be drawn."""
    copies = image.expand(DRAWS, *image.shape[1:])
    params: Params = module.sample(copies.shape, torch.Generator().manual_seed(seed))
    change = (module(copies, params) - copies).abs().flatten(1).mean(1)
    return params.pick(change.argmax()[None])


def composition_row(augmentor: AutoAugmentor, picture: Tensor, seed: int) -> SheetRow:
    """One draw of all modules together at rising strengths."""
    image = picture[None]
    draw = augmentor.sample(image.shape, torch.Generator().manual_seed(seed))
    distorted = [augmentor(image, draw.at(strength))[0] for strength in STRENGTHS]
    captions = ["original", *(f"strength {strength:.2g}" for strength in STRENGTHS)]
    return SheetRow("All six", [picture, *distorted], captions)


def lay_out(rows: Sequence[SheetRow]) -> Image.Image:
    """Rows under each other, titles on the left, captions under the pictures."""
    height, width = rows[0].pictures[0].shape[-2:]
    columns = max(len(row.pictures) for row in rows)
    line = height + CAPTION + GAP
    sheet = Image.new("RGB", (TITLE + columns * (width + GAP), GAP + len(rows) * line), BACKGROUND)
    pen, font = ImageDraw.Draw(sheet), ImageFont.load_default(13)
    for index, row in enumerate(rows):
        top = GAP + index * line
        pen.text((GAP, top + height // 2), row.title, INK, font, anchor="lm")
        for place, (picture, caption) in enumerate(zip(row.pictures, row.captions, strict=True)):
            left = TITLE + place * (width + GAP)
            sheet.paste(Image.fromarray(to_bytes(picture)), (left, top))
            pen.text((left + width // 2, top + height + 2), caption, INK, font, anchor="ma")
    return sheet


def to_bytes(picture: Tensor) -> NDArray[np.uint8]:
    """(3, H, W) in [0, 1] to (H, W, 3) bytes."""
    return (picture.clamp(0, 1) * 255).round().byte().permute(1, 2, 0).cpu().numpy()


def from_bytes(pixels: NDArray[np.uint8]) -> Tensor:
    """(H, W, 3) bytes to (3, H, W) in [0, 1]."""
    return torch.from_numpy(np.ascontiguousarray(pixels.transpose(2, 0, 1))) / 255
