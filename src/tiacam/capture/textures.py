"""Procedural surfaces and pictures: what lies around the picture when no background photos are given."""

from __future__ import annotations

import colorsys
from collections.abc import Callable

import cv2
import numpy as np
from numpy.typing import NDArray

from tiacam.capture.kinds import Pixels

Grain = NDArray[np.float32]  # (N, N), about -1 to 1


def cloud(rng: np.random.Generator, side: int, cells: int, octaves: int = 4, stretch: int = 1) -> Grain:
    """Smooth noise of several octaves; `stretch` draws it out along x."""
    total = np.zeros((side, side), np.float32)
    for octave in range(octaves):
        rows = min(cells * 2**octave, side)
        columns = max(2, rows // stretch)
        grid = rng.uniform(-1, 1, (rows, columns)).astype(np.float32)
        total += cv2.resize(grid, (side, side), interpolation=cv2.INTER_CUBIC) * np.float32(0.6**octave)
    return total


def colour_of(hue: float, saturation: float, value: float) -> NDArray[np.float32]:
    return np.array(colorsys.hsv_to_rgb(hue % 1.0, saturation, value), np.float32) * 255


def tint(base: NDArray[np.float32], grain: Grain, depth: float) -> Pixels:
    """A colour made lighter and darker by a grain."""
    return np.clip(base * (1 + depth * grain[..., None]), 0, 255).astype(np.uint8)


def wood(rng: np.random.Generator, side: int) -> Pixels:
    base = colour_of(rng.uniform(0.085, 0.13), rng.uniform(0.2, 0.6), rng.uniform(0.6, 0.95))
    figure = cloud(rng, side, 6, 3, stretch=4)
    fibres = cloud(rng, side, 96, 2, stretch=24)
    return tint(base, 0.7 * figure + 0.3 * fibres, rng.uniform(0.02, 0.09))


def pale_wood(rng: np.random.Generator, side: int) -> Pixels:
    base = colour_of(rng.uniform(0.14, 0.17), rng.uniform(0.26, 0.34), rng.uniform(0.7, 0.9))
    return tint(base, cloud(rng, side, 6, 3, stretch=4), rng.uniform(0.02, 0.06))


def honey_wood(rng: np.random.Generator, side: int) -> Pixels:
    base = colour_of(rng.uniform(0.095, 0.105), rng.uniform(0.46, 0.54), rng.uniform(0.6, 0.8))
    return tint(base, cloud(rng, side, 6, 3, stretch=4), rng.uniform(0.03, 0.1))


def laminate(rng: np.random.Generator, side: int) -> Pixels:
    base = colour_of(rng.uniform(0, 1), rng.uniform(0, 0.15), rng.uniform(0.5, 0.95))
    return tint(base, cloud(rng, side, 3, 3), rng.uniform(0.01, 0.05))


def cloth(rng: np.random.Generator, side: int) -> Pixels:
    base = colour_of(rng.uniform(0, 1), rng.uniform(0.1, 0.8), rng.uniform(0.12, 0.6))
    ticks = np.arange(side) * (2 * np.pi / rng.uniform(4, 9))
    weave = np.outer(np.sin(ticks), np.sin(ticks)).astype(np.float32)
    return tint(base, 0.5 * weave + 0.7 * cloud(rng, side, 4), rng.uniform(0.05, 0.2))


def carpet(rng: np.random.Generator, side: int) -> Pixels:
    base = colour_of(rng.uniform(0, 1), rng.uniform(0.05, 0.4), rng.uniform(0.15, 0.5))
    return tint(base, cloud(rng, side, 128, 3) + 0.5 * cloud(rng, side, 3, 2), rng.uniform(0.1, 0.3))


def dark(rng: np.random.Generator, side: int) -> Pixels:
    base = colour_of(rng.uniform(0, 1), rng.uniform(0.0, 0.3), rng.uniform(0.06, 0.2))
    return tint(base, cloud(rng, side, 24, 4), rng.uniform(0.05, 0.25))


def page(rng: np.random.Generator, side: int) -> Pixels:
    """Paper with lines of print."""
    sheet = tint(colour_of(0.12, rng.uniform(0, 0.08), rng.uniform(0.8, 0.97)), cloud(rng, side, 3, 2), 0.02)
    return write_lines(sheet, rng, max(3, int(side * rng.uniform(0.007, 0.018))))


def write_lines(sheet: Pixels, rng: np.random.Generator, height: int, ink: int = 50) -> Pixels:
    """Rows of made-up words in letters of this height, written onto the sheet."""
    rows, columns = sheet.shape[:2]
    scale, weight = height / 21, max(1, height // 9)
    for y in range(2 * height, rows, round(height * 1.9)):
        words = max(2, int(columns / (height * 3.2)))
        line = " ".join(_word(rng) for _ in range(words))
        cv2.putText(
            sheet, line, (height, y), cv2.FONT_HERSHEY_SIMPLEX, scale, (ink,) * 3, weight, cv2.LINE_AA
        )
    return sheet


def _word(rng: np.random.Generator) -> str:
    return "".join(chr(97 + int(v)) for v in rng.integers(0, 26, int(rng.integers(2, 9))))


def scenery(rng: np.random.Generator, side: int) -> Pixels:
    """A made-up picture: coloured clouds, a few shapes; stands in where another photo is wanted."""
    hues = rng.uniform(0, 1, 3)
    colours = [colour_of(hue, rng.uniform(0.2, 0.9), rng.uniform(0.2, 1.0)) for hue in hues]
    first, second = (
        np.clip(cloud(rng, side, int(rng.integers(2, 5))) + 0.5, 0, 1)[..., None] for _ in range(2)
    )
    picture = colours[0] * first + colours[1] * (1 - first)
    mixed = np.clip(picture * (1 - 0.5 * second) + colours[2] * 0.5 * second, 0, 255)
    canvas: Pixels = mixed.astype(np.uint8)
    for _ in range(int(rng.integers(2, 9))):
        centre = tuple(int(v) for v in rng.integers(0, side, 2))
        axes = tuple(int(v) for v in rng.integers(side // 20, side // 4, 2))
        shade = tuple(
            int(v) for v in colour_of(rng.uniform(0, 1), rng.uniform(0.1, 0.9), rng.uniform(0.1, 1.0))
        )
        cv2.ellipse(canvas, centre, axes, float(rng.uniform(0, 180)), 0, 360, shade, -1, cv2.LINE_AA)
    return canvas


DESKS: dict[str, Callable[[np.random.Generator, int], Pixels]] = {
    "wood": wood,
    "laminate": laminate,
    "cloth": cloth,
    "carpet": carpet,
    "dark": dark,
    "page": page,
    "pale wood": pale_wood,
    "honey wood": honey_wood,
}
