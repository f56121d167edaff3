"""Photos of registered pictures, simulated or real, as they are and rectified by the corners of the picture in them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from tiacam.evaluate.pairs import Corners
from tiacam.image import Picture, load

RECTIFIED = (480, 480)  # more than a model takes; the shape does not matter to it, for it squashes

Pixels = NDArray[np.uint8]


@dataclass(frozen=True, eq=False)
class Photo:
    """One photo: the number of the picture that it shows, its file, and the picture's corners where known."""

    picture: int
    name: str
    place: Path | bytes
    corners: Corners | None

    def open(self) -> Picture:
        return load(self.place, name=self.name)

    def rectified(self, size: tuple[int, int] = RECTIFIED) -> Pixels:
        """The part inside the corners, width × height as given; only for photos with known corners."""
        assert self.corners is not None
        return rectify(self.open().pixels, self.corners, size)


def rectify(pixels: Pixels, corners: Corners, size: tuple[int, int]) -> Pixels:
    """What lies inside the corners (continuous coordinates, tl, tr, br, bl), seen from the front (H, W, 3)."""
    width, height = size
    flat = np.array([(0, 0), (width, 0), (width, height), (0, height)], np.float32)
    # OpenCV's coordinates are those of pixel centres
    matrix = cv2.getPerspectiveTransform(corners.astype(np.float32) - 0.5, flat - 0.5)
    return np.asarray(cv2.warpPerspective(pixels, matrix, size, flags=cv2.INTER_CUBIC), np.uint8)


def owners(photos: Sequence[Photo]) -> list[int]:
    return [photo.picture for photo in photos]
