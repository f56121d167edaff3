"""What a loaded picture is, how small and how large it may be, and the square that a model sees of it."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from tiacam.errors import ImageTooLargeError, ImageTooSmallError

RAW_MEDIA_TYPE = "application/x-raw"
Box = tuple[float, float, float, float]  # left, top, right, bottom in pixels, fractions allowed
MIN_SIDE = 32
MAX_PIXELS = 178_000_000


@dataclass(frozen=True, eq=False)
class Picture:
    """An upright picture in sRGB, and where it came from."""

    pixels: NDArray[np.uint8]  # (H, W, 3), read-only, C-contiguous; may be decoded at reduced scale
    name: str  # what errors call it
    media_type: str
    sha256: str | None  # of the file's bytes; None where there was no file
    size: tuple[int, int]  # (width, height) at full scale
    _squares: dict[int, NDArray[np.uint8]] = field(default_factory=dict, repr=False)

    def square(self, size: int) -> NDArray[np.uint8]:
        """All of it as the read-only square that a model takes, made once: locator and feature model take the same."""
        if size not in self._squares:
            self._squares[size] = square(self.pixels, size)
            self._squares[size].flags.writeable = False
        return self._squares[size]


def check_size(width: int, height: int, name: str) -> None:
    """Refuse a picture with too few pixels to carry a feature or too many to be decoded."""
    got = f"{name}: {width}×{height} pixels"
    if min(width, height) < MIN_SIDE:
        raise ImageTooSmallError(f"{got}, the shorter side must have at least {MIN_SIDE}")
    if width * height > MAX_PIXELS:
        raise ImageTooLargeError(f"{got} are {width * height / 1e6:,.0f} megapixels, at most 178 are read")


def square(pixels: NDArray[np.uint8], size: int, box: Box | None = None) -> NDArray[np.uint8]:
    """(H, W, 3) squashed, not cropped, to a new (size, size, 3) array without aliasing.

    `box` takes that part alone; it must lie inside the picture (ValueError otherwise).
    """
    if box is not None:
        pixels, box = cut(pixels, box)
    height, width = pixels.shape[:2]
    if min(height, width) >= size and box in (None, (0, 0, width, height)):
        return shrink(pixels, size, size)
    # Shrinking by whole pixels down to twice the size first is faster and hardly differs.
    squashed = Image.fromarray(pixels).resize(
        (size, size), Image.Resampling.BICUBIC, box=box, reducing_gap=2.0
    )
    return np.array(squashed, dtype=np.uint8)


def shrink(pixels: NDArray[np.uint8], width: int, height: int) -> NDArray[np.uint8]:
    """(H, W) or (H, W, 3) in a smaller size, every pixel the mean of those that it stands for; a new array."""
    while pixels.shape[1] >= 2 * width and pixels.shape[0] >= 2 * height:
        pixels = shrink_whole(pixels, 2, 2)  # halves are ten times as fast as fractions
    return resize_area(pixels, width, height)


def shrink_whole(pixels: NDArray[np.uint8], across: int, down: int) -> NDArray[np.uint8]:
    """The mean over blocks of whole pixels, what is left over at the far edges cut off: far faster than fractions."""
    if across == down == 1:
        return pixels
    height, width = pixels.shape[0] // down, pixels.shape[1] // across
    return resize_area(pixels[: height * down, : width * across], width, height)


def resize_area(pixels: NDArray[np.uint8], width: int, height: int) -> NDArray[np.uint8]:
    import cv2  # on first use, because it takes its time

    return np.asarray(cv2.resize(pixels, (width, height), interpolation=cv2.INTER_AREA), np.uint8)


def cut(pixels: NDArray[np.uint8], box: Box) -> tuple[NDArray[np.uint8], Box]:
    """Whole pixels that `box` touches, and the box within them: Pillow then copies no more than these."""
    left, top, right, bottom = box
    height, width = pixels.shape[:2]
    if not (0 <= left < right <= width and 0 <= top < bottom <= height):
        raise ValueError(f"box {box} is empty or reaches beyond {width}×{height} pixels")
    x, y = int(left), int(top)
    return pixels[y : math.ceil(bottom), x : math.ceil(right)], (left - x, top - y, right - x, bottom - y)
