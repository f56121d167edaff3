"""What an application draws around a picture: bars, buttons, names and captions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from tiacam.capture.kinds import Pixels

TEXT = (
    "when the nobody me after one more look at this so true wait for it every single day is monday again "
    "how it started going you had job but first coffee said no cats ever my plans friends weekend best of"
)
WORDS = tuple(TEXT.split())


@dataclass(frozen=True)
class Theme:
    """Colours of an application."""

    ground: tuple[int, int, int]
    ink: tuple[int, int, int]
    accent: tuple[int, int, int]


LIGHT = Theme((255, 255, 255), (20, 20, 22), (0, 122, 255))
DARK = Theme((16, 16, 18), (236, 236, 240), (64, 156, 255))


def phrase(rng: np.random.Generator, words: int) -> str:
    return " ".join(WORDS[int(index)] for index in rng.integers(0, len(WORDS), words))


def font(size: float) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    return ImageFont.load_default(max(8.0, size))


def draw_status_bar(
    draw: ImageDraw.ImageDraw, width: int, height: int, theme: Theme, rng: np.random.Generator
) -> None:
    """Time, signal and battery."""
    draw.rectangle((0, 0, width, height), fill=theme.ground)
    clock = f"{int(rng.integers(0, 24))}:{int(rng.integers(0, 60)):02d}"
    draw.text((width * 0.06, height * 0.25), clock, fill=theme.ink, font=font(height * 0.5))
    right, middle, unit = width * 0.94, height * 0.5, height * 0.1
    draw.rounded_rectangle(
        (right - 5 * unit, middle - 1.6 * unit, right, middle + 1.6 * unit), unit / 2, theme.ink
    )
    for step in range(4):
        x = right - 13 * unit + 1.4 * step * unit
        draw.rectangle((x, middle + (1 - 0.8 * step) * unit, x + unit, middle + 1.6 * unit), fill=theme.ink)


def draw_header(
    draw: ImageDraw.ImageDraw, box: tuple[int, int, int, int], theme: Theme, rng: np.random.Generator
) -> None:
    """Round portrait, name and a line below it, as above a post."""
    left, top, right, bottom = box
    height = bottom - top
    draw.rectangle(box, fill=theme.ground)
    face = tuple(int(v) for v in rng.integers(40, 220, 3))
    draw.ellipse(
        (left + height * 0.25, top + height * 0.15, left + height * 0.95, top + height * 0.85), fill=face
    )
    x = left + height * 1.15
    draw.text((x, top + height * 0.18), phrase(rng, 2).title(), fill=theme.ink, font=font(height * 0.28))
    grey = tuple((a + b) // 2 for a, b in zip(theme.ink, theme.ground, strict=True))
    draw.text((x, top + height * 0.55), f"{int(rng.integers(1, 23))} h", fill=grey, font=font(height * 0.22))
    for dot in range(3):
        centre = right - height * (0.35 + 0.14 * dot)
        draw.ellipse((centre - 3, top + height / 2 - 3, centre + 3, top + height / 2 + 3), fill=theme.ink)


def draw_actions(
    draw: ImageDraw.ImageDraw, box: tuple[int, int, int, int], theme: Theme, rng: np.random.Generator
) -> None:
    """Buttons below a post, its count of likes and a comment or two."""
    left, top, right, bottom = box
    draw.rectangle(box, fill=theme.ground)
    unit = min((right - left) * 0.055, max(8.0, (bottom - top) * 0.3))
    for index in range(3):
        x = left + unit * (0.8 + 1.6 * index)
        draw.ellipse(
            (x, top + unit * 0.4, x + unit, top + unit * 1.4), outline=theme.ink, width=max(2, int(unit / 9))
        )
    y = top + unit * 1.8
    draw.text(
        (left + unit * 0.8, y), f"{int(rng.integers(2, 9999))} likes", fill=theme.ink, font=font(unit * 0.75)
    )
    while (y := y + unit * 1.1) < bottom - unit:
        draw.text((left + unit * 0.8, y), phrase(rng, 6), fill=theme.ink, font=font(unit * 0.65))


def draw_caption(canvas: Image.Image, box: tuple[int, int, int, int], text: str, boxed: bool) -> None:
    """Big letters over a picture, white with a black edge, or black on a white band."""
    left, top, right, bottom = box
    draw = ImageDraw.Draw(canvas)
    size = float(bottom - top)
    letters = font(size)
    while size > 10 and draw.textlength(text, font=letters) > (right - left) * 0.96:
        size *= 0.9
        letters = font(size)
    if boxed:
        draw.rectangle(box, fill=(255, 255, 255))
    middle = ((left + right) / 2, (top + bottom) / 2)
    fill, edge = ((10, 10, 10), 0) if boxed else ((255, 255, 255), max(1, int(size / 14)))
    draw.text(middle, text, fill=fill, font=letters, anchor="mm", stroke_width=edge, stroke_fill=(0, 0, 0))


def as_pixels(canvas: Image.Image) -> Pixels:
    return np.asarray(canvas.convert("RGB"), np.uint8).copy()
