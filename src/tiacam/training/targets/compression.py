"""Real codecs: what is left of a picture after saving it as JPEG or WebP."""

from __future__ import annotations

import io
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray
from PIL import Image


def compress(pixels: NDArray[np.uint8], drawn: Mapping[str, NDArray[np.float32]]) -> NDArray[np.uint8]:
    """Save and read each picture at its whole-number quality."""
    return np.stack(
        [
            save_and_read(picture, round(float(quality)), "WEBP" if webp > 0.5 else "JPEG")
            for picture, quality, webp in zip(pixels, drawn["quality"], drawn["webp"], strict=True)
        ]
    )


def save_and_read(picture: NDArray[np.uint8], quality: int, form: str) -> NDArray[np.uint8]:
    buffer = io.BytesIO()
    Image.fromarray(picture).save(buffer, form, quality=quality)
    return np.asarray(Image.open(buffer).convert("RGB"))
