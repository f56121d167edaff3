"""Labelled pictures in class folders, from a folder or a tar archive: some for training, some for the test."""

from __future__ import annotations

import io
import tarfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from tiacam.errors import DataError
from tiacam.image import square

SIDE = 160  # of every picture before it is distorted, so that distortions mean the same on every set
SUFFIXES = {".bmp", ".jpeg", ".jpg", ".png", ".webp"}
TEST_FOLDERS = {"test", "val", "valid", "validation"}
# Caltech's folders of pictures that belong to no class
NO_CLASSES = {"BACKGROUND_Google", "257.clutter"}

Pixels = NDArray[np.uint8]
Labels = NDArray[np.int64]


@dataclass(frozen=True)
class ClassSet:
    """Pictures (N, 160, 160, 3) and the index of each one's class."""

    classes: tuple[str, ...]
    train: Pixels
    train_labels: Labels
    test: Pixels
    test_labels: Labels


@dataclass(frozen=True)
class Member:
    """A picture's place: its split ('' if the set has none), its class and its path."""

    split: str
    label: str
    path: str


def read_classes(place: Path, train: int, test: int, seed: int) -> ClassSet:
    """So many pictures for training and for the test, drawn evenly over classes as far as they go."""
    members = list_members(place)
    if not members:
        raise DataError(f"{place} holds no pictures in class folders")
    classes = tuple(sorted({member.label for member in members}))
    rng = np.random.default_rng(seed)
    if any(member.split in TEST_FOLDERS for member in members):
        first = draw([m for m in members if m.split == "train"], train, rng)
        second = draw([m for m in members if m.split in TEST_FOLDERS], test, rng)
    else:
        both = draw(members, train + test, rng)
        share = test / (train + test)
        cut = round(len(both) * share)
        mixed = [both[index] for index in rng.permutation(len(both))]
        first, second = mixed[cut:], mixed[:cut]
    pictures = read_members(place, [*first, *second])
    labels = np.array([classes.index(member.label) for member in (*first, *second)], np.int64)
    count = len(first)
    return ClassSet(classes, pictures[:count], labels[:count], pictures[count:], labels[count:])


def draw(members: Sequence[Member], count: int, rng: np.random.Generator) -> list[Member]:
    """A random choice, the classes in turn."""
    rank: dict[str, int] = {}
    placed: list[tuple[int, int, Member]] = []
    for index in rng.permutation(len(members)):
        label = members[index].label
        rank[label] = rank.get(label, 0) + 1
        placed.append((rank[label], len(placed), members[index]))
    return [member for _, _, member in sorted(placed, key=lambda entry: entry[:2])[:count]]


def list_members(place: Path) -> list[Member]:
    """Every picture by its path: the folder above it is the class, the one above that perhaps the split."""
    found = []
    for path in sorted(list_paths(place)):
        parts = PurePosixPath(path).parts
        if len(parts) < 2 or PurePosixPath(path).suffix.lower() not in SUFFIXES or parts[-2] in NO_CLASSES:
            continue
        split = parts[-3] if len(parts) > 2 and parts[-3] in {"train", *TEST_FOLDERS} else ""
        found.append(Member(split, parts[-2], path))
    return found


def list_paths(place: Path) -> Iterator[str]:
    if place.is_dir():
        yield from (path.relative_to(place).as_posix() for path in place.rglob("*") if path.is_file())
    elif place.is_file():
        with tarfile.open(place) as archive:
            yield from (member.name for member in archive if member.isfile())
    else:
        raise DataError(f"there is no {place}: wanted a folder or a tar archive of class folders")


def read_members(place: Path, members: Sequence[Member]) -> Pixels:
    """The pictures in this order (N, 160, 160, 3)."""
    if place.is_dir():
        return np.stack([decode((place / member.path).read_bytes()) for member in members])
    wanted = {member.path: index for index, member in enumerate(members)}
    pictures = np.empty((len(members), SIDE, SIDE, 3), np.uint8)
    with tarfile.open(place) as archive:
        for entry in archive:
            content = archive.extractfile(entry) if entry.name in wanted else None
            if content is not None:
                pictures[wanted[entry.name]] = decode(content.read())
    return pictures


def decode(content: bytes) -> Pixels:
    return square(np.asarray(Image.open(io.BytesIO(content)).convert("RGB")), SIDE)
