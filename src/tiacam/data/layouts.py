"""Which published data set lies in a folder, told by the files that it is published with."""

from __future__ import annotations

from pathlib import Path

from tiacam.data.caltech256 import class_folders, read_caltech256
from tiacam.data.cifar100 import read_cifar100
from tiacam.data.dataset import Dataset
from tiacam.data.flickr30k import find_tokens, read_flickr30k
from tiacam.data.visual_genome import REGIONS, read_visual_genome


def read_layout(folder: Path) -> Dataset | None:
    """The data set in a folder, None where it is none of those with a loader."""
    if (folder / REGIONS).is_file():
        return read_visual_genome(folder)
    if find_tokens(folder) is not None:
        return read_flickr30k(folder)
    if any((folder / name).is_dir() for name in ("cifar-100-binary", "cifar-100-python")):
        return read_cifar100(folder)
    return read_caltech256(folder) if class_folders(folder) else None
