"""One file in memory → its picture: header, limits, pixels, colour, orientation, in this order."""

from __future__ import annotations

import hashlib
import io
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
from PIL import Image
from PIL.ImageFile import ImageFile

from tiacam.errors import ImageError, ImageTooLargeError, UnreadableImageError
from tiacam.image.colour import to_rgb
from tiacam.image.picture import MIN_SIDE, Picture, check_size
from tiacam.image.sources import EncodedFile

ORIENTATION_TAG = 0x0112
TRANSPOSITIONS = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_270,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_90,
}


def decode(file: EncodedFile, target: int | None) -> Picture:
    """The picture in `file`; a JPEG at reduced scale when both sides stay at or above `target` pixels."""
    with refusing(file.name, file.kind.name):
        image = file.kind.open(io.BytesIO(file.data))
        full = image.size
        check_size(*full, file.name)
        # Only for JPEG: a HEIF draft would be the embedded thumbnail, which may show something else.
        if target is not None and file.kind.name == "JPEG":
            image.draft(None, (max(target, MIN_SIDE), max(target, MIN_SIDE)))
            image.load()
        else:
            image.load()
            full = image.size  # HEIF may correct its header while decoding
        orientation = read_orientation(image)
        pixels = np.asarray(turn_upright(to_rgb(image, file.name), orientation))  # (H, W, 3)
        warn_of_more_frames(image, file.name)
    size = full[::-1] if orientation >= 5 else full
    return Picture(pixels, file.name, file.kind.media_type, hashlib.sha256(file.data).hexdigest(), size)


@contextmanager
def refusing(name: str, kind: str) -> Iterator[None]:
    """Turn whatever a decoder raises into an ImageError; warnings that the user made errors pass through."""
    try:
        yield
    except (ImageError, Warning):
        raise
    except (Image.DecompressionBombError, MemoryError) as error:
        raise ImageTooLargeError(f"{name}: {kind} too large to decode: {error or 'out of memory'}") from error
    except Exception as error:  # on damaged bytes decoders raise nearly everything, KeyError to SyntaxError
        raise UnreadableImageError(
            f"{name}: {kind} cannot be decoded, it is damaged, truncated or of a rare kind: {error}"
        ) from error


def read_orientation(image: Image.Image) -> int:
    """EXIF orientation, 1 to 8; damaged EXIF data is no reason to refuse the pixels."""
    try:
        orientation = image.getexif().get(ORIENTATION_TAG, 1)
    except Exception:
        return 1
    return orientation if orientation in TRANSPOSITIONS else 1


def turn_upright(image: Image.Image, orientation: int) -> Image.Image:
    """Undo what the camera noted in the EXIF orientation."""
    return image.transpose(TRANSPOSITIONS[orientation]) if orientation in TRANSPOSITIONS else image


def warn_of_more_frames(image: ImageFile, name: str) -> None:
    """Called after decoding: looking for a second frame may fail on garbage that follows the first."""
    try:
        more = bool(getattr(image, "is_animated", False))
    except Exception:
        return
    if more:
        warnings.warn(f"{name}: holds several frames or pages, only the first is read", stacklevel=2)
