"""Moiré alone: the picture on a display's sub-pixels, seen square-on through a colour filter."""

from __future__ import annotations

import math
from dataclasses import replace

import cv2
import numpy as np

from tiacam.capture.colour import to_bytes, to_linear
from tiacam.capture.display import Display, Layout, subpixel_waves
from tiacam.capture.geometry import Pose, map_surface, project
from tiacam.capture.kinds import Pixels
from tiacam.capture.lattice import Blur, Wave, modulation
from tiacam.capture.sensor import BAYER

FULL = 65535


def through_grid(picture: Pixels, rng: np.random.Generator) -> Pixels:
    """Same size, same place: only the sub-pixel grid, the lens and the sensor's sampling in between."""
    height, width = picture.shape[:2]
    size = (2 * (width // 2 + 1), 2 * (height // 2 + 1))  # the colour filter needs even sides
    light = to_linear(
        np.asarray(cv2.copyMakeBorder(picture, 0, size[1] - height, 0, size[0] - width, cv2.BORDER_REPLICATE))
    )
    frontal = Pose(1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, True)
    surface = map_surface(project(frontal, size, size))
    grid = modulation(_turned_waves(max(size), rng), surface, Blur(rng.uniform(0.3, 0.45)), 3)
    if grid is not None:
        light *= 1 + grid
    raw = np.empty(light.shape[:2], np.uint16)
    for row, column, colour in BAYER:
        raw[row::2, column::2] = np.clip(light[row::2, column::2, colour] * FULL, 0, FULL)
    seen = cv2.demosaicing(raw, cv2.COLOR_BayerRGGB2RGB).astype(np.float32) * np.float32(1 / FULL)
    return to_bytes(np.asarray(seen, np.float32))[:height, :width]


def _turned_waves(longest: int, rng: np.random.Generator) -> list[Wave]:
    """A display whose pixels are about as large as the sensor's, turned against it by a few degrees."""
    display = Display(
        pixels=longest * rng.uniform(0.45, 0.75),
        layout=Layout.STRIPE,
        fill=0.8,
        contrast=rng.uniform(0.6, 1.0),
        gloss=0.0,
        luminance=1.0,
        warmth=0.0,
        bezel=0.0,
        margins=(0.0, 0.0, 0.0, 0.0),
        window=0,
    )
    angle = math.radians(rng.uniform(-15, 15))
    cos, sin = math.cos(angle), math.sin(angle)
    return [
        replace(wave, frequency=(cos * x - sin * y, sin * x + cos * y))
        for wave in subpixel_waves(display)
        for x, y in (wave.frequency,)
    ]
