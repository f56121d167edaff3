"""The pictures to measure on: a folder or a tar archive, read one by one and never held decoded all at once."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path, PurePath

from tiacam.data import Dataset, read_layout, read_names
from tiacam.data.shards import members
from tiacam.errors import DataError, ImageError
from tiacam.image import Picture, load
from tiacam.progress import progress_bar

SUFFIXES = {".avif", ".bmp", ".gif", ".heic", ".heif", ".jpeg", ".jpg", ".png", ".tif", ".tiff", ".webp"}
SMALLEST_SIDE = 128  # a tenth of the area must still be a picture that the model takes
FEWEST = 2  # without another picture there is no unrelated one


@dataclass(frozen=True)
class Source:
    """A picture's name and where its bytes are: a file, or in memory where they came out of an archive."""

    name: str
    place: Path | bytes

    def open(self) -> Picture:
        return load(self.place, name=self.name)

    @cached_property
    def sha256(self) -> str:
        content = self.place.read_bytes() if isinstance(self.place, Path) else self.place
        return hashlib.sha256(content).hexdigest()

    @property
    def stem(self) -> str:
        """The name without folder and suffix: what caption files call a picture."""
        return PurePath(self.name).stem


@dataclass(frozen=True)
class Shelf:
    """The usable ones among the first n pictures, and why the others are none."""

    sources: tuple[Source, ...]
    digest: str  # of the pictures' bytes: the same digest, the same pictures
    refused: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.sources)


def open_shelf(data: Sequence[Path], n: int) -> Shelf:
    """The first `n` pictures of each place, by name (folder) or position (archive); unusable ones are left out."""
    found = [source for place in data for source in islice(find_sources(place), n)]
    shelf = check_all(found)
    if len(shelf) < FEWEST:
        named = ", ".join(map(str, data))
        raise DataError(
            f"{named} has {len(shelf)} usable pictures among the first {len(found)}, "
            f"wanted at least {FEWEST}{': ' if shelf.refused else ''}{'; '.join(shelf.refused[:3])}"
        )
    return shelf


def check_all(found: Sequence[Source]) -> Shelf:
    """The usable ones, and why the others are none."""
    usable: list[Source] = []
    refused: list[str] = []
    digest = hashlib.sha256()
    for source in progress_bar(found, "pictures", leave=False):
        try:
            digest.update(check(source).encode())
        except ImageError as error:
            refused.append(str(error))
        else:
            usable.append(source)
    return Shelf(tuple(usable), digest.hexdigest(), tuple(refused))


def check(source: Source) -> str:
    """The sha256 of a picture that can be decoded and is large enough for every attack."""
    picture = source.open()
    height, width = picture.pixels.shape[:2]
    if min(height, width) < SMALLEST_SIDE:
        raise ImageError(f"{source.name}: {width}×{height} pixels, tables need {SMALLEST_SIDE} a side")
    return source.sha256


def find_sources(data: Path) -> Iterator[Source]:
    if data.is_dir():
        known = read_layout(data)
        yield from find_files(data) if known is None else find_examples(known)
    elif data.is_file():
        yield from find_members(data)
    else:
        raise DataError(f"there is no {data}: wanted a folder of pictures or a tar archive")


def find_examples(dataset: Dataset) -> Iterator[Source]:
    for example in dataset.examples:
        if not isinstance(example.picture, Path):
            raise DataError(
                f"{dataset.name} has pictures of 32×32 pixels, tables need {SMALLEST_SIDE} a side"
            )
        yield Source(example.name, example.picture)


def find_files(folder: Path) -> Iterator[Source]:
    for path in sorted(folder.rglob("*")):
        if path.suffix.lower() in SUFFIXES and path.is_file():
            yield Source(path.relative_to(folder).as_posix(), path)


def find_members(archive: Path) -> Iterator[Source]:
    names = read_names([archive])
    yield from (Source(name, content) for name, content in zip(names, members(archive), strict=True))
