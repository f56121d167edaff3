"""Pictures for the tests of alignment: textured ones, photos of them at an angle, and margins."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from tiacam.image import Picture, load
from tiacam.locate.rectify import homography

Pixels = NDArray[np.uint8]


def textured(seed: int = 0, width: int = 360, height: int = 280) -> Pixels:
    """Random blocks of several sizes: corners everywhere."""
    dice = np.random.default_rng(seed)
    layers = []
    for size in (6, 14, 30):
        coarse = dice.integers(0, 256, (size, size, 3), dtype=np.uint8)
        layers.append(
            np.asarray(Image.fromarray(coarse).resize((width, height), Image.Resampling.BICUBIC), np.float64)
        )
    return np.clip(np.mean(layers, axis=0) * 1.6 - 70, 0, 255).astype(np.uint8)


def framed(pixels: Pixels, side: float, above: float) -> Pixels:
    """With a white margin, in shares of the picture's width and height."""
    height, width = pixels.shape[:2]
    x, y = round(side * width), round(above * height)
    whole = np.full((height + 2 * y, width + 2 * x, 3), 255, np.uint8)
    whole[y : y + height, x : x + width] = pixels
    return whole


def seen_at(pixels: Pixels, corners: NDArray[np.float64], size: tuple[int, int] = (480, 400)) -> Pixels:
    """A photo (width, height) that shows the picture with its corners (tl, tr, br, bl, in pixels) on grey."""
    height, width = pixels.shape[:2]
    source = np.array([(0, 0), (width, 0), (width, height), (0, height)], np.float64)
    matrix = homography(corners, source)
    return np.array(
        Image.fromarray(pixels).transform(
            size,
            Image.Transform.PERSPECTIVE,
            tuple(matrix.ravel()[:8]),
            Image.Resampling.BICUBIC,
            fillcolor=(128, 128, 128),
        )
    )


def photo_of(pixels: Pixels) -> Picture:
    return load(pixels)
