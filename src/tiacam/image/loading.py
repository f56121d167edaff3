"""`load`: whatever holds a picture → its RGB pixels, or an error that says why not."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from PIL.ImageFile import ImageFile

from tiacam.errors import UnreadableImageError
from tiacam.image.colour import to_rgb
from tiacam.image.decode import decode, read_orientation, refusing, turn_upright
from tiacam.image.picture import RAW_MEDIA_TYPE, Picture, check_size
from tiacam.image.samples import check_shape, to_eight_bits
from tiacam.image.sources import read_bytes, read_path, read_stream

Source = str | os.PathLike[str] | bytes | bytearray | memoryview | BinaryIO | NDArray[Any] | Image.Image
# Pillow's names of the formats that show, by their tiles, whether a picture has been decoded yet.
TILED_FORMATS = {"AVIF", "BMP", "GIF", "JPEG", "MPO", "PNG", "TIFF"}


def load(source: Source, *, target: int | None = None, name: str | None = None) -> Picture:
    """Decode `source`; a JPEG at reduced scale when both sides stay at or above `target` pixels.

    Any ImageError names the source and the reason. An animation gives its first frame and a warning.
    """
    if isinstance(source, np.ndarray):
        return take_array(source, name or "<array>")
    if isinstance(source, Image.Image):
        return take_image(source, target, name)
    if isinstance(source, str | os.PathLike):
        return decode(read_path(source, name), target)
    if isinstance(source, bytes | bytearray | memoryview):
        return decode(read_bytes(source, name), target)
    if hasattr(source, "read"):
        return decode(read_stream(source, name), target)
    kind = type(source).__name__
    raise UnreadableImageError(
        f"got {kind}, wanted a path, bytes, a binary file, a numpy array or a PIL image"
    )


def take_array(samples: NDArray[Any], name: str) -> Picture:
    """The picture that an array holds; later changes of the array do not reach it."""
    check_shape(samples, name)
    height, width = samples.shape[:2]
    check_size(width, height, name)
    pixels = to_eight_bits(samples, name)
    if pixels.ndim == 3 and pixels.shape[2] == 1:
        pixels = pixels[:, :, 0]
    if pixels.ndim == 2 or pixels.shape[2] == 4:
        pixels = np.asarray(to_rgb(Image.fromarray(pixels), name))  # (H, W, 3)
    pixels.flags.writeable = False
    return Picture(pixels, name, RAW_MEDIA_TYPE, None, (width, height))


def take_image(image: Image.Image, target: int | None, name: str | None) -> Picture:
    """The picture in a PIL image, through its file where that is sure to hold the same."""
    path = undecoded_path(image)
    if path is not None:
        return decode(read_path(path, name), target)
    name = name or os.fsdecode(getattr(image, "filename", "")) or "<image>"
    check_size(*image.size, name)
    with refusing(name, "image"):
        image.load()
        upright = turn_upright(to_rgb(image, name), read_orientation(image))
        pixels = np.asarray(upright)  # (H, W, 3)
    return Picture(pixels, name, RAW_MEDIA_TYPE, None, upright.size)


def undecoded_path(image: Image.Image) -> str | None:
    """File of an image that nobody has decoded yet; once decoded it may have been changed in memory."""
    if not isinstance(image, ImageFile) or image.format not in TILED_FORMATS:
        return None
    path = os.fsdecode(image.filename)
    untouched = bool(image.tile) and image.tell() == 0
    return path if untouched and path and Path(path).is_file() else None
