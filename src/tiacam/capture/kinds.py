"""The nouns of this package: what kind of capture, how strong, and what comes out of one."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from tiacam.errors import ImageTooSmallError, UnreadableImageError

Pixels: TypeAlias = NDArray[np.uint8]  # (H, W, 3) sRGB
Field: TypeAlias = NDArray[np.float32]  # (H, W) or (H, W, 3), linear light
Points: TypeAlias = NDArray[np.float64]  # (..., 2) x and y, continuous: pixel (0, 0) covers [0, 1) x [0, 1)

SMALLEST_SIDE = 16


class Kind(StrEnum):
    """How the picture came to be captured."""

    SCREEN = "screen"
    PRINT = "print"
    SCREENSHOT = "screenshot"


class Strength(StrEnum):
    """How hard the circumstances were; `typical` follows the real photos that docs/capture.md describes."""

    MILD = "mild"
    TYPICAL = "typical"
    SEVERE = "severe"


@dataclass(frozen=True, eq=False)
class Capture:
    """A photo or screenshot of a picture, with the truth about where the picture is.

    `corners` are the picture's own corners (top left, top right, bottom right, bottom left, as the picture itself is
    held) in continuous photo coordinates, and may lie outside the photo. `mask` is true where the picture is seen.
    `photo` is `encoded` (the file as the phone or platform wrote it) decoded again.
    """

    photo: Pixels
    corners: Points
    mask: NDArray[np.bool_]
    encoded: bytes
    media_type: str


def check_picture(picture: NDArray[np.generic]) -> Pixels:
    """The picture, once it is known to be (H, W, 3) bytes of a usable size."""
    if picture.dtype != np.uint8 or picture.ndim != 3 or picture.shape[2] != 3:
        raise UnreadableImageError(
            f"picture is {picture.dtype} of shape {picture.shape}, wanted uint8 of shape (height, width, 3)"
        )
    if min(picture.shape[:2]) < SMALLEST_SIDE:
        raise ImageTooSmallError(
            f"picture is {picture.shape[1]}×{picture.shape[0]}, a capture needs {SMALLEST_SIDE} pixels a side"
        )
    return np.ascontiguousarray(picture, np.uint8)
