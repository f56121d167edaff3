"""From pictures to features: views cut, stacked and passed through the model in one batch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from tiacam.image import Picture
from tiacam.model import FeatureModel


class Sight(Protocol):
    """A part of a photo: a box, or a quadrilateral that was found in it."""

    @property
    def name(self) -> str: ...

    @property
    def smallest_side(self) -> float:
        """In fractions of the photo."""
        ...

    def cut(self, picture: Picture, size: int) -> NDArray[np.uint8]:
        """Its pixels as the square that a model takes."""
        ...


def look(model: FeatureModel, pictures: Sequence[Picture], views: Sequence[Sight]) -> NDArray[np.float32]:
    """Whitened unit features (P, V, D) of every view of every picture."""
    features = look_each(model, [(picture, view) for picture in pictures for view in views])
    return features.reshape(len(pictures), len(views), model.card.feature_width)


def look_each(model: FeatureModel, sights: Sequence[tuple[Picture, Sight]]) -> NDArray[np.float32]:
    """Whitened unit features (N, D) of pairs of a picture and a view of it, in one batch."""
    return model.extract(cut_all(model, sights))


def foresee_each(model: FeatureModel, sights: Sequence[tuple[Picture, Sight]]) -> NDArray[np.float32]:
    """The features (N, D) under which these views are registered."""
    return model.foresee(cut_all(model, sights))


def cut_all(model: FeatureModel, sights: Sequence[tuple[Picture, Sight]]) -> NDArray[np.uint8]:
    """The squares (N, S, S, 3) that a model takes."""
    size = model.card.input_size
    cuts = [view.cut(picture, size) for picture, view in sights]
    return np.stack(cuts) if cuts else np.empty((0, size, size, 3), np.uint8)


def decoding_target(model: FeatureModel, views: Sequence[Sight]) -> int:
    """How many pixels of the shorter side suffice for all views: what a JPEG need be decoded at."""
    return int(np.ceil(model.card.input_size / min(view.smallest_side for view in views)))
