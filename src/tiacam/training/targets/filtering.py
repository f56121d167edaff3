"""Blur as it arises: a trail of focus spots, then a lens with aberrations, summed up on a fine grid."""

from __future__ import annotations

from collections.abc import Mapping

import cv2
import numpy as np
from numpy.typing import NDArray

from .pixels import to_bytes, to_unit

KERNEL = 7
TRAIL = 65  # points along the motion
FINE = 11  # subdivisions of a pixel
LENS = 3


def blur(pixels: NDArray[np.uint8], drawn: Mapping[str, NDArray[np.float32]]) -> NDArray[np.uint8]:
    """Convolve each picture with its trail and its lens, the rim mirrored."""
    blurred = np.empty(pixels.shape, np.float32)
    for row, picture in enumerate(to_unit(pixels)):
        trail = trail_kernel(*(float(drawn[name][row]) for name in ("focus", "motion", "direction")))
        once = cv2.filter2D(picture, -1, cv2.flip(trail, -1), borderType=cv2.BORDER_REFLECT_101)
        lens = cv2.flip(lens_kernel(drawn["aberration"][row]), -1)
        blurred[row] = cv2.filter2D(once, -1, lens, borderType=cv2.BORDER_REFLECT_101)
    return to_bytes(blurred)


def trail_kernel(focus: float, motion: float, direction: float) -> NDArray[np.float32]:
    """Focus spots laid along a line, of sum one."""
    v, u = np.mgrid[:KERNEL, :KERNEL] - KERNEL // 2
    along = (np.arange(TRAIL) + 0.5) / TRAIL - 0.5
    x, y = along * motion * np.cos(direction), along * motion * np.sin(direction)
    squares = (u[..., None] - x) ** 2 + (v[..., None] - y) ** 2
    kernel = np.exp(-squares / (2 * focus**2)).sum(2)
    return np.asarray(kernel / kernel.sum(), np.float32)


def lens_kernel(aberration: NDArray[np.float32]) -> NDArray[np.float32]:
    """The light of a point on 3×3 pixels: spread, stretched by astigmatism, lopsided by coma, of sum one."""
    spread, stretch, skew, coma_x, coma_y = (float(value) for value in aberration)
    v, u = (np.mgrid[: LENS * FINE, : LENS * FINE] + 0.5) / FINE - LENS / 2
    quadratic = u**2 * (1 - 0.5 * stretch) + v**2 * (1 + 0.5 * stretch) - skew * u * v
    spot = np.exp(-quadratic / (2 * (0.3 + 0.5 * spread) ** 2))
    lopsided = np.maximum(1 + 0.6 * (coma_x * u + coma_y * v) / (np.hypot(u, v) + 0.3), 0)
    kernel = (spot * lopsided).reshape(LENS, FINE, LENS, FINE).sum((1, 3))
    return np.asarray(kernel / kernel.sum(), np.float32)
