"""Small pictures and shards for the tests of training."""

from __future__ import annotations

import io
import tarfile
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image
from skimage import data


def small_pictures(count: int = 6, size: int = 64) -> NDArray[np.uint8]:
    """Crops of freely licensed photos (N, size, size, 3)."""
    random = np.random.default_rng(0)
    photos = [data.astronaut(), data.chelsea(), data.coffee()]
    crops = []
    for index in range(count):
        photo = photos[index % 3]
        top, left = (int(random.integers(0, side - 250)) for side in photo.shape[:2])
        crops.append(
            cv2.resize(photo[top : top + 250, left : left + 250], (size, size), interpolation=cv2.INTER_AREA)
        )
    return np.stack(crops)


def write_tar(path: Path, pictures: NDArray[np.uint8]) -> None:
    """Pictures as lossless WEBP files in a tar."""
    with tarfile.open(path, "w") as archive:
        for index, picture in enumerate(pictures):
            buffer = io.BytesIO()
            Image.fromarray(picture).save(buffer, "WEBP", lossless=True)
            entry = tarfile.TarInfo(f"{index:06}.webp")
            entry.size = buffer.tell()
            buffer.seek(0)
            archive.addfile(entry, buffer)
