"""From pictures to features: views cut, stacked and passed through the model in one batch."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tiacam.image import Picture
from tiacam.locate import View
from tiacam.model import FeatureModel


def look(model: FeatureModel, pictures: Sequence[Picture], views: Sequence[View]) -> NDArray[np.float32]:
    """Whitened unit features (P, V, D) of every view of every picture."""
    size, width = model.card.input_size, model.card.feature_width
    cut = [view.cut(picture, size) for picture in pictures for view in views]
    if not cut:
        return np.empty((len(pictures), len(views), width), np.float32)
    return model.extract(np.stack(cut)).reshape(len(pictures), len(views), width)


def decoding_target(model: FeatureModel, views: Sequence[View]) -> int:
    """How many pixels of the shorter side suffice for all views: what a JPEG need be decoded at."""
    return int(np.ceil(model.card.input_size / min(view.smallest_side for view in views)))
