"""Tar shards of small pictures → one uint8 array in memory, decoded by threads."""

from __future__ import annotations

import io
import tarfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import chain, islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from tiacam.errors import DataError
from tiacam.progress import progress_bar

THREADS = 16  # decoding and resizing release the interpreter's lock
SUFFIXES = {".jpeg", ".jpg", ".png", ".webp"}

Pixels = NDArray[np.uint8]


def read_shards(folder: Path, size: int, limit: int | None = None) -> Pixels:
    """The pictures of shard-*.tar in `folder`, in the order of name and place (N, size, size, 3)."""
    shards = sorted(folder.glob("shard-*.tar"))
    if not shards:
        raise DataError(f"{folder} holds no shard-*.tar")
    return read_pictures(shards, size, limit)


def read_pictures(archives: list[Path], size: int, limit: int | None = None) -> Pixels:
    """The pictures of some tar archives, squashed to size×size (N, size, size, 3)."""
    encoded = list(islice(chain.from_iterable(members(path) for path in archives), limit))
    if not encoded:
        raise DataError(f"no pictures in {', '.join(map(str, archives))}")
    pixels = np.empty((len(encoded), size, size, 3), np.uint8)
    with ThreadPoolExecutor(THREADS) as pool:
        decoded = pool.map(lambda content: decode(content, size), encoded)
        for row, picture in zip(pixels, progress_bar(decoded, "pictures", len(encoded)), strict=True):
            row[:] = picture
    return pixels


def read_names(archives: list[Path]) -> list[str]:
    """The names of the pictures, without folder and suffix, in the order in which they are read."""
    names: list[str] = []
    for path in archives:
        with open_archive(path) as archive:
            names.extend(Path(member.name).stem for member in archive if is_picture(member))
    return names


@contextmanager
def open_archive(path: Path) -> Iterator[tarfile.TarFile]:
    """The archive; DataError if it is none, or ends before its end."""
    try:
        with tarfile.open(path) as archive:
            yield archive
    except tarfile.TarError as error:
        reason = str(error).partition("\n")[0].rstrip(":")
        raise DataError(f"{path} is no folder and no readable tar archive: {reason}") from error


def members(path: Path) -> Iterator[bytes]:
    """The bytes of every picture in an archive."""
    if not path.is_file():
        raise DataError(f"{path} is no file")
    with open_archive(path) as archive:
        for member in archive:
            if is_picture(member):
                content = archive.extractfile(member)
                assert content is not None
                yield content.read()


def is_picture(member: tarfile.TarInfo) -> bool:
    return member.isfile() and Path(member.name).suffix.lower() in SUFFIXES


def decode(content: bytes, size: int) -> Pixels:
    """One picture as RGB at size×size."""
    picture = Image.open(io.BytesIO(content)).convert("RGB")
    if picture.size != (size, size):
        picture = picture.resize((size, size), Image.Resampling.LANCZOS)
    return np.asarray(picture)
