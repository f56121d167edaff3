"""Lettering and plain shapes to lay over photos, so that training sees covers, posters and slides, not photos alone."""

from __future__ import annotations

import random
import string

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont
from torch import Tensor

Colour = tuple[int, int, int, int]


def draw_sprites(count: int, size: int, seed: int) -> NDArray[np.uint8]:
    """Overlays (N, size, size, 4) with an alpha channel: a few lines of letters, bars and blocks each."""
    dice = random.Random(seed)
    fonts = [ImageFont.load_default(points) for points in (9, 12, 16, 22, 30, 42)]
    return np.stack([np.asarray(draw_sprite(size, fonts, dice)) for _ in range(count)])


def draw_sprite(
    size: int, fonts: list[ImageFont.FreeTypeFont | ImageFont.ImageFont], dice: random.Random
) -> Image.Image:
    sprite = Image.new("RGBA", (size, size), (0, 0, 0, 0))
    pen = ImageDraw.Draw(sprite)
    for _ in range(dice.randint(0, 3)):
        draw_shape(pen, size, dice)
    for _ in range(dice.randint(1, 6)):
        place = (dice.uniform(-0.1, 0.7) * size, dice.uniform(0, 0.95) * size)
        stroke = dice.choice((0, 0, 1, 2))
        pen.text(
            place,
            words(dice),
            draw_colour(dice),
            dice.choice(fonts),
            stroke_width=stroke,
            stroke_fill=draw_colour(dice),
        )
    return sprite


def draw_shape(pen: ImageDraw.ImageDraw, size: int, dice: random.Random) -> None:
    """A bar across, a block, or a disc."""
    left, top = dice.uniform(-0.2, 0.8) * size, dice.uniform(-0.1, 0.95) * size
    width, height = dice.uniform(0.1, 0.7) * size, dice.uniform(0.04, 0.3) * size
    kind = dice.random()
    if kind < 0.5:
        left, width = 0, size
    box = (left, top, left + width, top + height)
    if kind < 0.85:
        pen.rectangle(box, draw_colour(dice))
    else:
        pen.ellipse((left, top, left + width, top + width), draw_colour(dice))


def draw_colour(dice: random.Random) -> Colour:
    """Black, white or anything; mostly opaque."""
    alpha = dice.choice((255, 255, 255, 190))
    kind = dice.random()
    if kind < 0.5:
        level = 255 if kind < 0.3 else 0
        return level, level, level, alpha
    return dice.randrange(256), dice.randrange(256), dice.randrange(256), alpha


def words(dice: random.Random) -> str:
    letters = dice.choice(
        (string.ascii_uppercase, string.ascii_lowercase, string.ascii_letters + string.digits)
    )
    return " ".join("".join(dice.choices(letters, k=dice.randint(1, 9))) for _ in range(dice.randint(1, 4)))


def lay_over(pictures: Tensor, sprites: Tensor) -> Tensor:
    """Pictures (B, 3, H, W) in [0, 1] under sprites (B, H, W, 4) of bytes."""
    layer = sprites.permute(0, 3, 1, 2).to(pictures.dtype).div_(255)
    return pictures.lerp(layer[:, :3], layer[:, 3:])
