"""Flickr30k (and Flickr8k) as published: a folder of photos and a token file, five captions a photo."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

from tiacam.data.dataset import Dataset, Example
from tiacam.errors import DataError

TOKEN_FILES = ("results_20130124.token", "Flickr8k.token.txt")
FOLDERS = ("flickr30k-images", "flickr30k_images", "Flicker8k_Dataset", "Flickr8k_Dataset")


def find_tokens(folder: Path) -> Path | None:
    return next((folder / name for name in TOKEN_FILES if (folder / name).is_file()), None)


def read_flickr30k(folder: Path) -> Dataset:
    """The photos that are there, in the order of the token file; DataError where a line is none of it."""
    tokens = find_tokens(folder)
    if tokens is None:
        raise DataError(f"{folder} is no Flickr30k: wanted {' or '.join(TOKEN_FILES)}")
    photos = next((folder / name for name in FOLDERS if (folder / name).is_dir()), folder)
    examples = tuple(
        Example(name, photos / name, captions=tuple(texts))
        for name, texts in read_tokens(tokens).items()
        if (photos / name).is_file()
    )
    if not examples:
        raise DataError(f"none of the photos of {tokens} is in {photos}")
    return Dataset("Flickr8k" if tokens.name.startswith("Flickr8k") else "Flickr30k", examples)


def read_tokens(path: Path) -> dict[str, list[str]]:
    """PHOTO.jpg#NUMBER, a tab, the caption; one a line."""
    captions: dict[str, list[str]] = defaultdict(list)
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        photo, tab, text = line.partition("\t")
        name, mark, _ = photo.rpartition("#")
        if not tab or not mark:
            raise DataError(f"{path} line {number} is no caption: {line[:80]!r}")
        captions[name].append(text.strip())
    return captions
