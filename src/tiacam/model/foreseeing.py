"""What is registered: the picture as it is, and as photos of it will show it.

Prints come out darker than screens, poor light blurs them, and what is located in a photo is seldom cut to the pixel.
Each shifts the feature of every such photo of a picture in a direction that is known beforehand. The mean of the
features of the picture and of its likely photos is nearer to all photos of it, and hardly nearer to other pictures.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

TOGETHER = 32  # pictures, each shown in all ways, lest thousands need gigabytes

Pixels = NDArray[np.uint8]
Features = NDArray[np.float32]


@dataclass(frozen=True)
class Likely:
    """One way in which photos differ from the picture."""

    darker: float = 1.0  # exponent of the tones between 0 and 1
    blurred: float = 0.0  # deviation, in sides of the square
    zoomed: float = (
        1.0  # below 1 the picture is smaller, and what is around it is a mirror image, as in reading
    )

    def show(self, square: Pixels) -> Pixels:
        """A picture (S, S, 3) as such a photo shows it."""
        import cv2  # on first use, because it takes its time

        size = len(square)
        middle = ((size - 1) / 2, (size - 1) / 2)
        matrix = cv2.getRotationMatrix2D(middle, 0, self.zoomed)
        shown = cv2.warpAffine(self._tones()[square], matrix, (size, size), borderMode=cv2.BORDER_REFLECT_101)
        if self.blurred:
            shown = cv2.GaussianBlur(shown, (0, 0), self.blurred * size)
        return np.asarray(shown, np.uint8)

    def _tones(self) -> Pixels:
        return np.round(255 * (np.arange(256) / 255) ** self.darker).astype(np.uint8)


# Chosen one after the other by what they gain on simulated captures of pictures that nothing was trained on.
PHOTOS = (
    Likely(darker=1.5, zoomed=0.95),  # a print that was cut out a little too large
    Likely(zoomed=1.1),  # cut out a little too small
    Likely(darker=2.0, blurred=0.01),  # a print in poor light
)


def foresee(extract: Callable[[Pixels], Features], pixels: Pixels) -> Features:
    """The unit features (B, D) under which pictures (B, S, S, 3) are registered, from what `extract` gives."""
    parts = [pixels[start : start + TOGETHER] for start in range(0, len(pixels), TOGETHER)]
    return np.concatenate([_mean_over_photos(extract, part) for part in parts]) if parts else extract(pixels)


def _mean_over_photos(extract: Callable[[Pixels], Features], pixels: Pixels) -> Features:
    shown = [pixels, *(np.stack([photo.show(square) for square in pixels]) for photo in PHOTOS)]
    features = extract(np.concatenate(shown)).reshape(len(shown), len(pixels), -1)
    mean = features.mean(axis=0)
    return np.asarray(mean / np.linalg.norm(mean, axis=1, keepdims=True), np.float32)
