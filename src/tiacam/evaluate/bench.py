"""What every table is measured on: a model, pictures, their features, and a gallery of records made from them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from tiacam.capture.attacks import ATTACKS, Attack
from tiacam.evaluate.gallery import Gallery, register
from tiacam.evaluate.shelf import Shelf, open_shelf
from tiacam.image import Picture, load
from tiacam.locate import WHOLE, View
from tiacam.model import FeatureModel
from tiacam.pipeline import look

BATCH = 16  # pictures decoded and attacked before a pass
SEED_STRIDE = 1_000_000  # draws of two seeds never meet below so many pictures

Features = NDArray[np.float32]


@dataclass(frozen=True)
class Bench:
    """A model and the pictures to measure it on; everything random follows from the seed."""

    model: FeatureModel
    shelf: Shelf
    seed: int

    @property
    def n(self) -> int:
        return len(self.shelf)

    @cached_property
    def originals(self) -> Features:
        """Features of the untouched pictures (N, D)."""
        return self._look("originals", lambda picture, _index: picture, [WHOLE])[:, 0]

    @cached_property
    def gallery(self) -> Gallery:
        """Every picture registered with a message of its own."""
        return register(self.originals, self.model.card.null_dimensions, self.seed)

    def attack(self, name: str, views: Sequence[View] = (WHOLE,)) -> Features:
        """Features (N, V, D) of all pictures after one attack."""
        attack = ATTACKS[name]
        return self._look(name, lambda picture, index: self._attacked(attack, picture, index), views)

    def _attacked(self, attack: Attack, picture: Picture, index: int) -> Picture:
        pixels = attack.apply(picture.pixels, self.seed * SEED_STRIDE + index)
        return load(pixels, name=f"{picture.name} after {attack.name}")

    def _look(self, what: str, change: Callable[[Picture, int], Picture], views: Sequence[View]) -> Features:
        sources = list(enumerate(self.shelf.sources))
        looked = []
        with tqdm(total=self.n, desc=what, unit="picture", disable=None, leave=False) as bar:
            for start in range(0, self.n, BATCH):
                batch = [change(source.open(), index) for index, source in sources[start : start + BATCH]]
                looked.append(look(self.model, batch, views))
                bar.update(len(batch))
        return np.concatenate(looked)


def open_bench(model: FeatureModel, data: Path, n: int, seed: int) -> Bench:
    """A bench on the first `n` pictures of a folder or tar archive."""
    return Bench(model, open_shelf(data, n), seed)
