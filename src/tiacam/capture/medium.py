"""What carries the picture: a sheet or a display with its margins, flat, ready to be seen in perspective."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from tiacam.capture.colour import to_bytes
from tiacam.capture.display import Display
from tiacam.capture.geometry import SurfaceMap
from tiacam.capture.kinds import Field, Pixels, Points
from tiacam.capture.paper import Print, reflect, separate, texture
from tiacam.capture.spans import happens
from tiacam.capture.textures import write_lines

BEZEL = (22, 22, 24)


@dataclass(frozen=True)
class Rectangle:
    """Part of a surface, in surface units."""

    left: float
    top: float
    right: float
    bottom: float

    def widened(self, left: float, above: float, right: float, below: float) -> Rectangle:
        return Rectangle(self.left - left, self.top - above, self.right + right, self.bottom + below)

    def outline(self, points: int = 9) -> Points:
        """Points along the border, enough to bound it after bending (4·points, 2)."""
        steps = np.linspace(0, 1, points)
        x, y = self.left + steps * (self.right - self.left), self.top + steps * (self.bottom - self.top)
        rows = [np.stack([x, np.full(points, level)], axis=1) for level in (self.top, self.bottom)]
        columns = [np.stack([np.full(points, level), y], axis=1) for level in (self.left, self.right)]
        return np.concatenate(rows + columns)

    def cover(self, surface: SurfaceMap, edge: float) -> Field:
        """1 inside, 0 outside, with an edge of this many surface units (H, W)."""
        reach = np.minimum(surface.x - np.float32(self.left), np.float32(self.right) - surface.x)
        np.minimum(reach, surface.y - np.float32(self.top), out=reach)
        np.minimum(reach, np.float32(self.bottom) - surface.y, out=reach)
        reach *= np.float32(1 / edge)
        reach += np.float32(0.5)
        return np.asarray(np.clip(reach, 0, 1, out=reach), np.float32)


@dataclass(frozen=True, eq=False)
class Medium:
    """A flat canvas on the surface, the picture somewhere on it."""

    canvas: NDArray[np.uint8]  # (h, w, C)
    extent: Rectangle

    def lie_on(self, scene: NDArray[np.uint8], surface: SurfaceMap) -> None:
        """Draw the canvas over a scene (H, W, C), as it appears at every pixel of the map."""
        height, width = self.canvas.shape[:2]
        across = np.float32(width / (self.extent.right - self.extent.left))
        down = np.float32(height / (self.extent.bottom - self.extent.top))
        x = surface.x * across - np.float32(self.extent.left * across + 0.5)
        y = surface.y * down - np.float32(self.extent.top * down + 0.5)
        cv2.remap(self.canvas, x, y, cv2.INTER_LINEAR, dst=scene, borderMode=cv2.BORDER_TRANSPARENT)


def fit(picture: Pixels, longest: float) -> Pixels:
    """The picture resized so that its longer side has this many pixels."""
    factor = longest / max(picture.shape[:2])
    size = (max(1, round(picture.shape[1] * factor)), max(1, round(picture.shape[0] * factor)))
    method = cv2.INTER_AREA if factor < 1 else cv2.INTER_CUBIC
    return np.asarray(cv2.resize(picture, size, interpolation=method), np.uint8)


def sheet_medium(picture: Pixels, sheet: Print, scale: float) -> Medium:
    """The printed sheet: picture and margin; `scale` is how many pixels a surface unit are worth drawing."""
    coverage = separate(_no_larger(picture, scale), sheet)
    printed = reflect(coverage, sheet)
    printed *= texture(printed.shape[:2], sheet)[..., None]
    blank = to_bytes(np.array([[sheet.paper]], np.float32) * np.float32(sheet.margin_level))[0, 0]
    return _framed(fit(to_bytes(printed), scale), sheet.margins, tuple(int(v) for v in blank))


def coverage_medium(picture: Pixels, sheet: Print, scale: float) -> Medium:
    """Ink coverages of the picture alone, four channels, for rendering the dots."""
    coverage = np.round(separate(_no_larger(picture, scale), sheet) * 255).astype(np.uint8)
    return Medium(coverage, picture_area(coverage.shape[1], coverage.shape[0]))


def display_medium(picture: Pixels, display: Display, scale: float, seed: int) -> Medium:
    """The display: picture, window around it, bezel."""
    shown = _framed(fit(picture, scale), display.margins, (display.window,) * 3)
    _draw_interface(shown.canvas, display, scale, np.random.default_rng(seed))
    bezel = max(1, round(display.bezel * scale))
    canvas = cv2.copyMakeBorder(shown.canvas, *(bezel,) * 4, cv2.BORDER_CONSTANT, value=BEZEL)
    return Medium(np.asarray(canvas, np.uint8), shown.extent.widened(*(bezel / scale,) * 4))


def picture_area(width: float, height: float) -> Rectangle:
    """Where a picture of this width and height lies: centred, its longer side 1."""
    longest = max(width, height)
    return Rectangle(-width / longest / 2, -height / longest / 2, width / longest / 2, height / longest / 2)


def _no_larger(picture: Pixels, longest: float) -> Pixels:
    return fit(picture, longest) if longest < max(picture.shape[:2]) else picture


def _framed(picture: Pixels, margins: tuple[float, float, float, float], colour: tuple[int, ...]) -> Medium:
    height, width = picture.shape[:2]
    scale = max(height, width)
    left, above, right, below = (round(margin * scale) for margin in margins)
    canvas = cv2.copyMakeBorder(picture, above, below, left, right, cv2.BORDER_CONSTANT, value=colour)
    area = picture_area(width, height)
    extent = area.widened(left / scale, above / scale, right / scale, below / scale)
    return Medium(np.asarray(canvas, np.uint8), extent)


def _draw_interface(
    canvas: NDArray[np.uint8], display: Display, scale: float, rng: np.random.Generator
) -> None:
    """A page's text above and below the picture, where the window leaves room for it."""
    _, above, _, below = (round(margin * scale) for margin in display.margins)
    letters = max(4, round(rng.uniform(0.015, 0.035) * scale))
    for band in (canvas[:above], canvas[canvas.shape[0] - below :]):
        if band.shape[0] > 3 * letters and happens(rng, 0.6):
            write_lines(band, rng, letters, ink=50 if display.window > 128 else 200)
