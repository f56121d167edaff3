"""Real encoders: what a phone or a platform does to the pixels when it writes a file."""

from __future__ import annotations

import io
from dataclasses import dataclass

import numpy as np
import pillow_heif
from PIL import Image

from tiacam.capture.kinds import Pixels

pillow_heif.register_heif_opener()

MEDIA_TYPES = {
    "JPEG": "image/jpeg",
    "WEBP": "image/webp",
    "HEIF": "image/heic",
    "AVIF": "image/avif",
    "PNG": "image/png",
}
SUFFIXES = {
    "image/jpeg": ".jpg",
    "image/webp": ".webp",
    "image/heic": ".heic",
    "image/avif": ".avif",
    "image/png": ".png",
}
# Phones encode in hardware; the fast settings keep the software encoders within a few hundredths of a second.
_OPTIONS: dict[str, dict[str, object]] = {
    "HEIF": {"enc_params": {"preset": "ultrafast"}},
    "AVIF": {"speed": 9, "max_threads": 1},
    "WEBP": {"method": 2},
}


@dataclass(frozen=True)
class File:
    """How a file is written."""

    format: str  # a key of MEDIA_TYPES
    quality: int  # of that format's own scale


def encode(pixels: Pixels, file: File) -> bytes:
    """The bytes of the file."""
    buffer = io.BytesIO()
    options = {} if file.format == "PNG" else {"quality": file.quality}
    Image.fromarray(pixels).save(buffer, file.format, **options, **_OPTIONS.get(file.format, {}))
    return buffer.getvalue()


def decode(encoded: bytes) -> Pixels:
    """The pixels of a file that `encode` wrote."""
    with Image.open(io.BytesIO(encoded)) as image:
        return np.asarray(image.convert("RGB"), np.uint8).copy()


def through(pixels: Pixels, *files: File) -> Pixels:
    """Pixels after being written and read as each of these files in turn."""
    for file in files:
        pixels = decode(encode(pixels, file))
    return pixels
