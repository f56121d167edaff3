"""What is looked at in a picture before a pixel of it is decoded: its kind and its size."""

from __future__ import annotations

import io

from tiacam.errors import ImageTooLargeError
from tiacam.image.decode import refusing
from tiacam.image.picture import Picture, check_size
from tiacam.image.sources import read_bytes

NAME = "the upload"  # never the caller's file name: it may be anything


def check_picture(data: bytes, max_pixels: int) -> str:
    """The media type that the first bytes tell; an ImageError for what is none, too small or too large."""
    file = read_bytes(data, NAME)
    with refusing(NAME, file.kind.name):
        width, height = file.kind.open(io.BytesIO(data)).size
        check_size(width, height, NAME)
    if width * height > max_pixels:
        raise ImageTooLargeError(
            f"{NAME}: {width}×{height} pixels are {width * height / 1e6:,.0f} megapixels, "
            f"this service takes {max_pixels / 1e6:,.0f}"
        )
    return file.kind.media_type


def open_picture(data: bytes, max_pixels: int, target: int | None) -> Picture:
    """The decoded picture of an upload that passes `check_picture`."""
    from tiacam.image import load

    check_picture(data, max_pixels)
    return load(data, target=target, name=NAME)
