"""Folders of real photos: `pairs.jsonl` names each photo, the picture that it shows, and perhaps where in it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tiacam.errors import DataError

LIST = "pairs.jsonl"
MEDIA = ("screen", "print", "screenshot")
CORNER_KEYS = ("corners", "corners_tl_tr_br_bl")

Corners = NDArray[np.float64]  # (4, 2) x and y of top left, top right, bottom right, bottom left


@dataclass(frozen=True, eq=False)
class Pair:
    """A photo and the picture that it shows; both files were there when the list was read."""

    original: Path
    captured: Path
    medium: str  # screen, print, screenshot, or "" where the list does not say
    corners: Corners | None


def holds_pairs(data: Path) -> bool:
    return (data / LIST).is_file()


def read_pairs(folder: Path, n: int | None = None) -> list[Pair]:
    """The first `n` pairs of a folder, all without `n`; DataError names the line that is wrong or the missing file."""
    path = folder / LIST
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError as error:
        raise DataError(f"{path} is no text in UTF-8: {error}") from error
    except OSError as error:
        raise DataError(
            f"cannot read {path}: {error.strerror}; a folder of photos has a {LIST} with original and captured"
        ) from error
    pairs = list(islice(parse_pairs(lines, path), n))
    if not pairs:
        raise DataError(f"{path} lists no pairs")
    return pairs


def parse_pairs(lines: Sequence[str], path: Path) -> Iterator[Pair]:
    for number, line in enumerate(lines, start=1):
        if line.strip():
            yield parse_pair(line, f"{path} line {number}", path.parent)


def parse_pair(line: str, where: str, folder: Path) -> Pair:
    try:
        value = json.loads(line)
    except ValueError as error:
        raise DataError(f"{where} is no JSON: {error}") from error
    if not isinstance(value, Mapping) or not all(
        isinstance(value.get(key), str) for key in ("original", "captured")
    ):
        raise DataError(f"{where} must name an original and a captured file, got {line.strip()[:100]}")
    for key in ("original", "captured"):
        if not (folder / value[key]).is_file():
            raise DataError(f"{where}: there is no {value[key]} in {folder}")
    original, captured = folder / value["original"], folder / value["captured"]
    return Pair(original, captured, parse_medium(value, where), parse_corners(value, where))


def parse_medium(value: Mapping[str, Any], where: str) -> str:
    """Another word would be in no row of any table, and its photos lost without a sound."""
    medium = value.get("medium") or ""
    if medium and medium not in MEDIA:
        raise DataError(f"{where}: medium is {medium!r}, wanted {', '.join(MEDIA)} or none")
    return str(medium)


def parse_corners(value: Mapping[str, Any], where: str) -> Corners | None:
    found = next((value[key] for key in CORNER_KEYS if value.get(key) is not None), None)
    if found is None:
        return None
    try:
        corners = np.asarray(found, np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(f"{where}: corners are no numbers: {error}") from error
    if corners.shape != (4, 2) or not np.isfinite(corners).all():
        raise DataError(f"{where}: corners must be four points (x, y), got {found!r}")
    return corners
