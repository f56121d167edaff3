"""Leaving training pictures out that are near others, as the features of a model see it."""

from __future__ import annotations

import tarfile
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tiacam.data.shards import is_picture, open_archive, read_pictures
from tiacam.model import DEFAULT_MODEL as DEFAULT_MODEL
from tiacam.model import load_model


def features(name: str, archives: list[Path]) -> NDArray[np.float32]:
    """Features of all pictures of some archives, by a shipped model or the card of another."""
    model = load_model(name)
    return model.extract(read_pictures(archives, model.card.input_size))


def nearest_cosines(pictures: NDArray[np.float32], others: NDArray[np.float32]) -> NDArray[np.float32]:
    """How near the nearest of the others is to each picture, all of them unit vectors."""
    return np.asarray((pictures @ others.T).max(axis=1))


def write_rest(archives: list[Path], wanted: NDArray[np.bool_], out: Path) -> int:
    """The wanted ones of all archives' pictures, in one tar; their number."""
    decisions = iter(wanted)
    with tarfile.open(out, "w") as rest:
        for path in archives:
            with open_archive(path) as archive:
                for member in archive:
                    if is_picture(member) and next(decisions):
                        rest.addfile(member, archive.extractfile(member))
    return int(wanted.sum())
