"""CIFAR-100 as published, in its binary or its Python form: cifar-100-binary/test.bin or cifar-100-python/test."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tiacam.data.dataset import Dataset, Example
from tiacam.errors import DataError

SIDE = 32
VALUES = 3 * SIDE * SIDE
RECORD = 2 + VALUES  # coarse label, fine label, the red, green and blue planes
# What the published pickles are made of; anything else in them is no data.
HARMLESS = {
    ("_codecs", "encode"),
    ("numpy", "dtype"),
    ("numpy", "ndarray"),
    ("numpy._core.multiarray", "_reconstruct"),
    ("numpy.core.multiarray", "_reconstruct"),
}


class DataUnpickler(pickle.Unpickler):
    """Loads arrays, lists and texts, and refuses to call anything else."""

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) not in HARMLESS:
            raise pickle.UnpicklingError(f"{module}.{name} has no place in a data file")
        return super().find_class(module, name)


def read_cifar100(folder: Path, split: str = "test") -> Dataset:
    """One split (train or test) with its 100 fine classes; pictures are 32×32 pixels."""
    binary, python = folder / "cifar-100-binary", folder / "cifar-100-python"
    if (binary / f"{split}.bin").is_file():
        return read_binary(binary, split)
    if (python / split).is_file():
        return read_python(python, split)
    raise DataError(
        f"{folder} is no CIFAR-100: wanted cifar-100-binary/{split}.bin or cifar-100-python/{split}"
    )


def read_binary(folder: Path, split: str) -> Dataset:
    path = folder / f"{split}.bin"
    content = np.fromfile(path, np.uint8)
    if not len(content) or len(content) % RECORD:
        raise DataError(f"{path} has {len(content)} bytes, wanted a multiple of {RECORD}")
    records = content.reshape(-1, RECORD)  # (N, 3074)
    names = (folder / "fine_label_names.txt").read_text(encoding="utf-8").split()
    return build(split, records[:, 2:], records[:, 1].tolist(), names)


def read_python(folder: Path, split: str) -> Dataset:
    content, meta = load_pickle(folder / split), load_pickle(folder / "meta")
    try:
        pixels = np.asarray(content[b"data"], np.uint8).reshape(-1, VALUES)
        names = [name.decode() for name in meta[b"fine_label_names"]]
        return build(split, pixels, list(content[b"fine_labels"]), names)
    except (KeyError, ValueError, TypeError, AttributeError) as error:
        raise DataError(f"{folder / split} is no CIFAR-100: {type(error).__name__}: {error}") from error


def load_pickle(path: Path) -> dict[bytes, Any]:
    try:
        with path.open("rb") as file:
            value = DataUnpickler(file, encoding="bytes").load()
    except (OSError, pickle.UnpicklingError, EOFError, ValueError) as error:
        raise DataError(f"cannot read {path}: {error}") from error
    if not isinstance(value, dict):
        raise DataError(f"{path} holds {type(value).__name__}, wanted a dictionary")
    return value


def build(split: str, pixels: NDArray[np.uint8], labels: list[int], names: list[str]) -> Dataset:
    if len(labels) != len(pixels) or max(labels, default=0) >= len(names):
        raise DataError(f"{len(labels)} labels of {len(names)} classes for {len(pixels)} pictures")
    pictures = pixels.reshape(-1, 3, SIDE, SIDE).transpose(0, 2, 3, 1)  # (N, 32, 32, 3)
    examples = tuple(
        Example(f"{split}-{index:05}", picture, int(label))
        for index, (picture, label) in enumerate(zip(pictures, labels, strict=True))
    )
    return Dataset(f"CIFAR-100 {split}", examples, tuple(names))
