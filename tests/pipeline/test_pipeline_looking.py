"""From pictures to features: every view of every picture, in order."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from tiacam.image import load
from tiacam.locate import CENTRES, WHOLE, centre
from tiacam.model import FeatureModel
from tiacam.pipeline import decoding_target, look

Pixels = NDArray[np.uint8]


def test_features_come_back_by_picture_and_view(model: FeatureModel, pictures: dict[str, Pixels]) -> None:
    two = [load(pictures["cat"]), load(pictures["coffee"])]
    views = (WHOLE, centre(0.5))
    features = look(model, two, views)
    assert features.shape == (2, 2, model.card.feature_width)
    alone = look(model, [two[1]], [views[1]])[0, 0]
    assert features[1, 1] == pytest.approx(alone, abs=1e-4)


def test_no_pictures_or_views_give_no_features(model: FeatureModel, pictures: dict[str, Pixels]) -> None:
    assert look(model, [], [WHOLE]).shape == (0, 1, model.card.feature_width)
    assert look(model, [load(pictures["cat"])], []).shape == (1, 0, model.card.feature_width)


def test_the_middle_of_a_framed_picture_is_the_picture(
    model: FeatureModel, pictures: dict[str, Pixels]
) -> None:
    picture = pictures["astronaut"]
    framed = np.pad(picture, ((128, 128), (128, 128), (0, 0)), constant_values=128)
    inside = look(model, [load(framed)], [centre(2 / 3)])[0, 0]
    assert inside @ look(model, [load(picture)], [WHOLE])[0, 0] > 0.9


def test_a_picture_is_decoded_large_enough_for_its_smallest_view(model: FeatureModel) -> None:
    size = model.card.input_size
    assert decoding_target(model, [WHOLE]) == size
    assert decoding_target(model, [WHOLE, centre(0.5)]) == 2 * size
    assert decoding_target(model, [WHOLE, *CENTRES]) * CENTRES[-1].smallest_side >= size - 1e-6


@pytest.mark.parametrize("share", [1.0, 0.8, 0.33])
def test_a_centre_view_lies_inside_the_photo(share: float) -> None:
    left, top, right, bottom = centre(share).box
    assert 0 <= left < right <= 1
    assert 0 <= top < bottom <= 1
    assert centre(share).smallest_side == pytest.approx(share)
