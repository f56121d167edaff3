"""Small real files of every format, made in memory for the tests of `image`."""

from __future__ import annotations

import io
import struct
import zlib
from collections.abc import Iterator

import numpy as np
import pillow_heif
from numpy.typing import NDArray
from PIL import Image, ImageCms

MEDIA_TYPES = {
    "JPEG": "image/jpeg",
    "PNG": "image/png",
    "WEBP": "image/webp",
    "AVIF": "image/avif",
    "TIFF": "image/tiff",
    "GIF": "image/gif",
    "BMP": "image/bmp",
    "HEIC": "image/heic",
}
LOSSY = {"JPEG", "WEBP", "AVIF", "HEIC"}


def gradient(width: int = 96, height: int = 64) -> NDArray[np.uint8]:
    """Red grows to the right and green downwards, so that any turn or flip shows."""
    red, green = np.meshgrid(np.linspace(0, 255, width), np.linspace(0, 255, height))
    return np.stack([red, green, np.full_like(red, 100)], axis=-1).astype(np.uint8)  # (H, W, 3)


def encode(image: Image.Image | NDArray[np.uint8], kind: str, **options: object) -> bytes:
    """The picture as a file of this kind; lossy ones at a quality that hardly changes it."""
    image = image if isinstance(image, Image.Image) else Image.fromarray(image)
    options = ({"quality": 95} if kind in LOSSY else {}) | options
    stream = io.BytesIO()
    if kind == "HEIC":  # not through Pillow's registry, which `load` must not need
        pillow_heif.from_pillow(image).save(stream, **options)
    else:
        image.save(stream, kind, **options)
    return stream.getvalue()


def with_orientation(kind: str, orientation: int, pixels: NDArray[np.uint8]) -> bytes:
    exif = Image.Exif()
    exif[0x0112] = orientation
    return encode(pixels, kind, exif=exif.tobytes() if kind == "HEIC" else exif)


def chunk(tag: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + tag + content + struct.pack(">I", zlib.crc32(tag + content))


def png(width: int, height: int, depth: int, colour: int, rows: Iterator[bytes], extra: bytes = b"") -> bytes:
    """A PNG of any depth and colour type, its rows compressed one at a time."""
    packer = zlib.compressobj()
    packed = b"".join([packer.compress(b"\0" + row) for row in rows] + [packer.flush()])
    header = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + header + extra + chunk(b"IDAT", packed) + chunk(b"IEND", b"")


def png16(samples: NDArray[np.uint16], extra: bytes = b"") -> bytes:
    """(H, W, C) with 16 bits a sample; C = 1 grey, 2 with alpha, 3 RGB, 4 with alpha."""
    height, width, channels = samples.shape
    colour = {1: 0, 2: 4, 3: 2, 4: 6}[channels]
    return png(width, height, 16, colour, (row.astype(">u2").tobytes() for row in samples), extra)


def bomb(side: int) -> bytes:
    """A valid PNG of side² white-or-black pixels, in some tens of kilobytes."""
    return png(side, side, 1, 0, (bytes((side + 7) // 8) for _ in range(side)))


def srgb_profile() -> bytes:
    return ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()


def swapped_profile() -> bytes:
    """sRGB with the primaries of red and blue exchanged: converting a picture exchanges the two channels."""
    return srgb_profile().replace(b"rXYZ", b"????").replace(b"bXYZ", b"rXYZ").replace(b"????", b"bXYZ")


def grey_profile() -> bytes:
    """Grey whose curve is nearly linear, so that middle grey becomes brighter in sRGB."""
    steeper, flatter = struct.pack(">i", round(2.4 * 65536)), struct.pack(">i", 65536)
    profile = srgb_profile().replace(b"rTRC", b"kTRC").replace(b"RGB XYZ ", b"GRAYXYZ ")
    assert steeper in profile
    return profile.replace(steeper, flatter)
