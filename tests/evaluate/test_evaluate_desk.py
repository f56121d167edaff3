"""The desk is the product: it claims what is registered, and a stranger's record is not there to be claimed."""

from __future__ import annotations

import numpy as np

from tiacam.evaluate import Bench
from tiacam.evaluate.desk import NOTHING, UNREADABLE
from tiacam.evaluate.remembering import RememberingModel
from tiacam.model import FeatureModel


def test_every_picture_claims_itself_and_a_broken_file_is_counted(bench: Bench) -> None:
    photos = [source.place for source in bench.shelf.sources]
    answers = bench.desk().read([*photos, b"no picture"])
    assert answers.claimed.tolist() == [*range(bench.n), UNREADABLE]
    owners = np.array([*range(bench.n), 0])
    assert answers.right(owners).tolist() == [1.0] * bench.n + [0.0]
    assert answers.wrong(owners).sum() == 0
    assert answers.wrong(owners[::-1].copy()).sum() > 0


def test_a_stranger_s_own_record_is_in_neither_registry_that_it_is_looked_up_in(bench: Bench) -> None:
    photos = [source.place for source in bench.shelf.sources]
    claimed = bench.read_as_strangers(photos, list(range(bench.n))).claimed
    assert claimed.tolist() == [NOTHING] * bench.n


def test_one_record_is_confirmed_by_its_own_picture_alone(bench: Bench) -> None:
    desk, picture = bench.desk(), bench.shelf.sources[2].place
    assert desk.confirms(picture, 2)
    assert not desk.confirms(picture, int(bench.nearest[2]))


def test_a_remembering_model_gives_the_same_features_without_computing_them_again(
    model: FeatureModel,
) -> None:
    size = model.card.input_size
    pixels = np.random.default_rng(0).integers(256, size=(3, size, size, 3), dtype=np.uint8)
    remembering = RememberingModel(model)
    first = remembering.extract(pixels)
    assert np.allclose(first, model.extract(pixels), atol=1e-3)
    remembering._session = None  # whoever computes now fails
    assert np.array_equal(remembering.extract(pixels[::-1]), first[::-1])
    assert remembering.extract(pixels[:0]).shape == (0, model.card.feature_width)
