"""Extracting features: the same in any batch and with any number of threads, uint8 pixels in."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from tiacam.errors import UsageError
from tiacam.image import square
from tiacam.model import FeatureModel, load_model
from tiacam.model.foreseeing import PHOTOS, TOGETHER, Likely
from tiacam.model.runtime import BATCH

Pixels = NDArray[np.uint8]


@pytest.fixture(scope="module")
def stack(model: FeatureModel, pictures: dict[str, Pixels]) -> Pixels:
    return np.stack([square(pixels, model.card.input_size) for pixels in pictures.values()])


def test_features_are_whitened_unit_vectors(model: FeatureModel, stack: Pixels) -> None:
    features = model.extract(stack)
    assert features.shape == (len(stack), model.card.feature_width)
    assert features.dtype == np.float32
    assert np.linalg.norm(features, axis=1) == pytest.approx(1, abs=1e-5)


def test_different_pictures_have_different_features(model: FeatureModel, stack: Pixels) -> None:
    cosines = model.extract(stack) @ model.extract(stack).T
    assert np.abs(cosines - np.eye(len(stack))).max() < 0.5


def test_a_batch_gives_what_its_pictures_give_alone(model: FeatureModel, stack: Pixels) -> None:
    alone = np.concatenate([model.extract(pixels[None]) for pixels in stack])
    assert model.extract(stack) == pytest.approx(alone, abs=1e-4)


def test_more_pictures_than_a_batch_holds_come_back_in_order(model: FeatureModel, stack: Pixels) -> None:
    count = BATCH + 2
    features = model.extract(np.resize(stack, (count, *stack.shape[1:])))
    few = model.extract(stack)
    assert features == pytest.approx(np.resize(few, (count, few.shape[1])), abs=1e-4)


def test_what_is_registered_is_nearer_to_photos_of_a_picture_than_the_picture_itself(
    model: FeatureModel, stack: Pixels
) -> None:
    registered, plain = model.foresee(stack), model.extract(stack)
    assert np.linalg.norm(registered, axis=1) == pytest.approx(1, abs=1e-5)
    assert (registered * plain).sum(axis=1).min() > 0.85
    dim = np.stack([cv2.GaussianBlur(square // 3, (0, 0), 1.5) for square in stack])
    seen = model.extract(dim)
    assert ((registered - plain) * seen).sum(axis=1).min() > 0


def test_many_pictures_are_foreseen_as_few_are(model: FeatureModel, stack: Pixels) -> None:
    count = TOGETHER + 3
    many = model.foresee(np.resize(stack, (count, *stack.shape[1:])))
    few = model.foresee(stack)
    assert many == pytest.approx(np.resize(few, (count, few.shape[1])), abs=1e-4)
    assert model.foresee(stack[:0]).shape == (0, model.card.feature_width)


@pytest.mark.parametrize("photo", PHOTOS)
def test_a_likely_photo_is_a_picture_of_the_same_size(photo: Likely, stack: Pixels) -> None:
    shown = photo.show(stack[0])
    assert shown.shape == stack[0].shape
    assert shown.dtype == np.uint8
    assert np.array_equal(Likely().show(stack[0]), stack[0])
    assert not np.array_equal(shown, stack[0])


def test_no_pictures_give_no_features(model: FeatureModel, stack: Pixels) -> None:
    assert model.extract(stack[:0]).shape == (0, model.card.feature_width)


def test_the_number_of_threads_changes_nothing(model: FeatureModel, stack: Pixels) -> None:
    two = load_model(threads=2)
    assert two.extract(stack[:2]) == pytest.approx(model.extract(stack[:2]), abs=1e-4)
    assert two.provider.endswith("ExecutionProvider")


@pytest.mark.parametrize("threads", [0, -1])
def test_fewer_threads_than_one_are_refused(threads: int) -> None:
    with pytest.raises(UsageError, match="threads"):
        load_model(threads=threads)


def test_more_threads_than_cores_are_not_started() -> None:
    assert load_model(threads=10**6).provider.endswith("ExecutionProvider")


@pytest.mark.parametrize("change", [(0, 0, 0, 1), (0, 1, 0, 0), (0, 0, -1, 0)])
def test_pixels_of_another_shape_are_refused(
    model: FeatureModel, stack: Pixels, change: tuple[int, ...]
) -> None:
    shape = [side + more for side, more in zip(stack.shape, change, strict=True)]
    with pytest.raises(ValueError, match="wanted uint8"):
        model.extract(np.zeros(shape, np.uint8))


def test_a_picture_without_its_batch_is_refused(model: FeatureModel, stack: Pixels) -> None:
    with pytest.raises(ValueError, match="wanted uint8"):
        model.extract(stack[0])


@pytest.mark.parametrize("kind", [np.float32, np.int64, np.uint16])
def test_preprocessing_is_inside_the_graph_so_only_bytes_are_taken(
    model: FeatureModel, stack: Pixels, kind: type
) -> None:
    with pytest.raises(ValueError, match="wanted uint8"):
        model.extract(stack.astype(kind))


def test_brightness_moves_a_feature_less_than_another_picture_does(
    model: FeatureModel, stack: Pixels
) -> None:
    darker = (stack * 0.8).astype(np.uint8)
    cosines = model.extract(stack) @ model.extract(darker).T
    assert (np.diag(cosines) > 0.7).all()
