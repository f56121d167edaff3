"""Caltech-256 as published: 256_ObjectCategories/NNN.class/NNN_MMMM.jpg, the 257th class being clutter."""

from __future__ import annotations

import re
from pathlib import Path

from tiacam.data.dataset import Dataset, Example
from tiacam.errors import DataError

CLASS_FOLDER = re.compile(r"(\d{3})\.(.+)")
CLUTTER = "257.clutter"


def class_folders(folder: Path) -> list[Path]:
    root = folder / "256_ObjectCategories" if (folder / "256_ObjectCategories").is_dir() else folder
    return sorted(path for path in root.iterdir() if path.is_dir() and CLASS_FOLDER.fullmatch(path.name))


def read_caltech256(folder: Path, *, clutter: bool = False) -> Dataset:
    """All pictures by class; the clutter class is left out unless asked for, as most who report on it do."""
    folders = [path for path in class_folders(folder) if clutter or path.name != CLUTTER]
    if not folders:
        raise DataError(f"{folder} is no Caltech-256: wanted folders like 001.ak47 in 256_ObjectCategories")
    examples = tuple(
        Example(f"{path.name}/{picture.name}", picture, label)
        for label, path in enumerate(folders)
        for picture in sorted(path.glob("*.jpg"))
    )
    return Dataset("Caltech-256", examples, tuple(path.name.partition(".")[2] for path in folders))
