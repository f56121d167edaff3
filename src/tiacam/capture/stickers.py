"""Stickers and emoji, drawn as shapes, with their opacity."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from tiacam.capture.spans import Span, pick
from tiacam.capture.textures import colour_of

Patch = NDArray[np.uint8]  # (S, S, 4)
Colour = tuple[int, int, int, int]
OVERSAMPLED = 2


@dataclass(frozen=True)
class Sticker:
    """One sticker; place and size relative to the picture's width and height."""

    shape: str  # a key of SHAPES
    x: float
    y: float
    size: float
    angle: float  # degrees
    hue: float


def draw_sticker(size: Span, rng: np.random.Generator) -> Sticker:
    return Sticker(
        shape=pick(rng, tuple(SHAPES)),
        x=Span(0.05, 0.95).draw(rng),
        y=Span(0.05, 0.95).draw(rng),
        size=size.draw(rng),
        angle=Span(-30, 30).draw(rng),
        hue=Span(0, 1).draw(rng),
    )


def render_sticker(sticker: Sticker, pixels: int) -> Patch:
    """The sticker as an RGBA patch of this many pixels a side."""
    side = max(8, pixels) * OVERSAMPLED
    patch = np.zeros((side, side, 4), np.uint8)
    shade = colour_of(sticker.hue, 0.85, 0.95)
    SHAPES[sticker.shape](patch, (int(shade[0]), int(shade[1]), int(shade[2]), 255))
    turn = cv2.getRotationMatrix2D((side / 2, side / 2), sticker.angle, 0.92)
    turned = cv2.warpAffine(patch, turn, (side, side))
    return np.asarray(cv2.resize(turned, (max(8, pixels),) * 2, interpolation=cv2.INTER_AREA), np.uint8)


def paste(
    canvas: NDArray[np.uint8], patch: Patch, x: int, y: int
) -> tuple[slice, slice, NDArray[np.bool_]] | None:
    """Blend the patch centred there; gives where it landed and what it hides, or None if outside."""
    height, width = canvas.shape[:2]
    top, left = y - patch.shape[0] // 2, x - patch.shape[1] // 2
    rows = slice(max(0, top), min(height, top + patch.shape[0]))
    columns = slice(max(0, left), min(width, left + patch.shape[1]))
    if rows.start >= rows.stop or columns.start >= columns.stop:
        return None
    cut = patch[rows.start - top : rows.stop - top, columns.start - left : columns.stop - left]
    opacity = cut[..., 3:].astype(np.float32) / 255
    under = canvas[rows, columns].astype(np.float32)
    canvas[rows, columns] = (under + opacity * (cut[..., :3] - under)).astype(np.uint8)
    return rows, columns, opacity[..., 0] > 0.5


def _smile(patch: Patch, _shade: Colour) -> None:
    side = patch.shape[0]
    middle = (side // 2, side // 2)
    cv2.circle(patch, middle, side * 9 // 20, (255, 204, 50, 255), -1)
    for x in (side * 7 // 20, side * 13 // 20):
        cv2.ellipse(patch, (x, side * 8 // 20), (side // 18, side // 11), 0, 0, 360, (70, 45, 20, 255), -1)
    cv2.ellipse(
        patch, (side // 2, side * 11 // 20), (side // 4, side // 5), 0, 10, 170, (70, 45, 20, 255), side // 22
    )


def _heart(patch: Patch, _shade: Colour) -> None:
    side = patch.shape[0]
    turn = np.linspace(0, 2 * math.pi, 60)
    x = 16 * np.sin(turn) ** 3
    y = -(13 * np.cos(turn) - 5 * np.cos(2 * turn) - 2 * np.cos(3 * turn) - np.cos(4 * turn))
    _fill(patch, np.stack([x / 36 + 0.5, y / 36 + 0.48], axis=1) * side, (226, 38, 66, 255))


def _star(patch: Patch, shade: Colour) -> None:
    side = patch.shape[0]
    turn = np.arange(10) * math.pi / 5 - math.pi / 2
    radius = np.where(np.arange(10) % 2 == 0, 0.46, 0.2)
    _fill(patch, (np.stack([np.cos(turn), np.sin(turn)], axis=1) * radius[:, None] + 0.5) * side, shade)


def _bubble(patch: Patch, _shade: Colour) -> None:
    """A speech bubble with three dots."""
    side = patch.shape[0]
    white, grey = (250, 250, 250, 255), (90, 90, 95, 255)
    cv2.ellipse(patch, (side // 2, side * 2 // 5), (side * 9 // 20, side // 3), 0, 0, 360, white, -1)
    _fill(patch, np.array([[0.25, 0.6], [0.5, 0.65], [0.2, 0.95]]) * side, white)
    for x in (0.32, 0.5, 0.68):
        cv2.circle(patch, (int(x * side), side * 2 // 5), side // 18, grey, -1)


def _arrow(patch: Patch, shade: Colour) -> None:
    side = patch.shape[0]
    ends = (side // 10, side * 4 // 5), (side * 4 // 5, side // 4)
    cv2.arrowedLine(patch, *ends, shade, max(2, side // 11), cv2.LINE_AA, 0, 0.35)


def _ring(patch: Patch, shade: Colour) -> None:
    side = patch.shape[0]
    cv2.circle(patch, (side // 2, side // 2), side * 2 // 5, shade, max(2, side // 14))


def _fill(patch: Patch, points: NDArray[np.float64], shade: Colour) -> None:
    cv2.fillPoly(patch, [points.astype(np.int32)], shade)


SHAPES: dict[str, Callable[[Patch, Colour], None]] = {
    "smile": _smile,
    "heart": _heart,
    "star": _star,
    "bubble": _bubble,
    "arrow": _arrow,
    "ring": _ring,
}
