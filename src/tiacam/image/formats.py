"""Recognise a picture's format by its first bytes and open its header with that one decoder.

The decoders are called by class and not through `Image.open`: nothing is registered in Pillow for the whole
process, no other format is ever tried, and a JPEG with a second picture behind it stays a JPEG.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import BinaryIO

from PIL.AvifImagePlugin import AvifImageFile
from PIL.BmpImagePlugin import BmpImageFile
from PIL.GifImagePlugin import GifImageFile
from PIL.ImageFile import ImageFile
from PIL.JpegImagePlugin import JpegImageFile
from PIL.PngImagePlugin import PngImageFile
from PIL.TiffImagePlugin import TiffImageFile
from PIL.WebPImagePlugin import WebPImageFile


@dataclass(frozen=True)
class Format:
    """One kind of file that is read; `open` parses its header and decodes no pixel."""

    name: str
    media_type: str
    open: Callable[[BinaryIO], ImageFile]


def open_heif(stream: BinaryIO) -> ImageFile:
    """Header of a HEIF file; its library is large, so it is imported with the first such file."""
    from pillow_heif import HeifImageFile

    opener: Callable[[BinaryIO], ImageFile] = HeifImageFile
    return opener(stream)


AVIF = Format("AVIF", "image/avif", AvifImageFile)
HEIC = Format("HEIC", "image/heic", open_heif)
HEIF = Format("HEIF", "image/heif", open_heif)

# "BM" alone would also match a text, so the sizes that the second header can have are part of the signature.
BMP_HEADER = rb"BM.{12}[\x0c\x28\x34\x38\x40\x6c\x7c]\0{3}"
SIGNATURES: tuple[tuple[re.Pattern[bytes], Format], ...] = (
    (re.compile(rb"\xff\xd8\xff"), Format("JPEG", "image/jpeg", JpegImageFile)),
    (re.compile(rb"\x89PNG\r\n\x1a\n"), Format("PNG", "image/png", PngImageFile)),
    (re.compile(rb"RIFF.{4}WEBPVP8", re.DOTALL), Format("WebP", "image/webp", WebPImageFile)),
    (re.compile(rb"GIF8[79]a"), Format("GIF", "image/gif", GifImageFile)),
    (re.compile(rb"II[*+]\0|MM\0[*+]"), Format("TIFF", "image/tiff", TiffImageFile)),
    (re.compile(BMP_HEADER, re.DOTALL), Format("BMP", "image/bmp", BmpImageFile)),
)
BRANDS: tuple[tuple[frozenset[bytes], Format], ...] = (
    (frozenset({b"avif", b"avis"}), AVIF),
    (frozenset({b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx"}), HEIC),
    (frozenset({b"mif1", b"msf1", b"mif2"}), HEIF),
)
READ_FORMATS = "JPEG, PNG, WebP, AVIF, TIFF, GIF, BMP or HEIC/HEIF"
# Bytes that are enough to recognise any of them: the list of brands is the longest.
HEAD_BYTES = 512


def recognise(head: bytes) -> Format | None:
    """Format of a file that begins with these bytes; None when it is none that is read."""
    if head[4:8] == b"ftyp":
        return recognise_brand(head)
    return next((kind for signature, kind in SIGNATURES if signature.match(head)), None)


def recognise_brand(head: bytes) -> Format | None:
    """Format of an ISO media file, by all its brands: the first may name only the container."""
    length = min(int.from_bytes(head[:4], "big"), HEAD_BYTES)
    declared = {head[i : i + 4] for i in range(8, length - 3, 4)}
    return next((kind for brands, kind in BRANDS if brands & declared), None)
