"""Finding the nearest features."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from registry_samples import KEY, MODEL, WIDTH, Place, fill, make_draft

from tiacam.errors import RegistryError
from tiacam.registry import ExactIndex, Registry
from tiacam.registry.index import to_unit_rows


@given(seed=st.integers(0, 999), size=st.integers(1, 200), count=st.integers(1, 20))
def test_the_exact_index_agrees_with_sorting_all_cosines(seed: int, size: int, count: int) -> None:
    rng = np.random.default_rng(seed)
    features, query = rng.standard_normal((size, 8)), rng.standard_normal(8)
    index = ExactIndex(8)
    index.add(np.arange(size), features)
    (found,) = index.search(to_unit_rows(query[None], 8), count)
    cosines = features @ query / np.linalg.norm(features, axis=1) / np.linalg.norm(query)
    best = np.argsort(-cosines)[:count]
    np.testing.assert_allclose(found.cosines, cosines[best], atol=1e-5)
    np.testing.assert_allclose(found.cosines, cosines[found.numbers], atol=1e-5)


def test_of_equal_features_the_older_record_comes_first() -> None:
    index = ExactIndex(2)
    index.add(np.array([3, 5, 9]), np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]]))
    assert index.search(np.array([[1.0, 0.0]], np.float32), 2)[0].numbers.tolist() == [3, 5]


def test_the_index_grows_in_any_portions() -> None:
    index = ExactIndex(4)
    for start in range(0, 300, 7):
        index.add(np.arange(start, start + 7), np.random.default_rng(start).standard_normal((7, 4)))
    assert len(index) == 301
    assert len(index.search(np.ones((3, 4), np.float32), 1000)[2].numbers) == 301


def test_a_registered_feature_finds_its_own_record_first(place: Place) -> None:
    records = fill(place, 50)
    with Registry.open(place) as registry:
        nearest, second = registry.find(records[7].feature, 2, MODEL)
    assert nearest.record_id == records[7].id
    assert nearest.cosine == pytest.approx(1.0, abs=1e-3)
    assert second.cosine < 0.99


def test_several_views_are_looked_up_at_once(place: Place) -> None:
    records = fill(place, 20)
    with Registry.open(place) as registry:
        views = np.stack([records[row].feature for row in (3, 9, 12)])
        found = registry.find_many(views, 1, MODEL)
    assert [nearest.record_id for (nearest,) in found] == [records[row].id for row in (3, 9, 12)]


def test_records_added_later_and_through_another_connection_are_found(place: Place) -> None:
    place = place
    with Registry.open(place) as registry, Registry.open(place) as other:
        first = registry.add(make_draft(1), KEY)
        assert registry.find(first.feature, 5, MODEL)[0].record_id == first.id
        second = other.add(make_draft(2), KEY)
        assert registry.find(second.feature, 5, MODEL)[0].record_id == second.id
        assert len(registry.find(second.feature, 5, MODEL)) == 2


def test_models_are_never_mixed(place: Place) -> None:
    with Registry.open(place) as registry:
        mine = registry.add(make_draft(1), KEY)
        registry.add(make_draft(1, model="tiny-2"), KEY)
        assert [n.record_id for n in registry.find(mine.feature, 5, MODEL)] == [mine.id]


def test_a_model_without_records_has_no_neighbours(place: Place) -> None:
    with Registry.open(place) as registry:
        assert registry.find(np.ones(WIDTH), 5, "unknown") == []
        assert registry.features("unknown").record_ids == ()


@pytest.mark.parametrize("query", [np.ones(3), np.zeros(WIDTH), np.full(WIDTH, np.nan), np.ones((2, WIDTH))])
def test_a_query_that_fits_no_record_is_an_error(place: Place, query: np.ndarray) -> None:
    fill(place, 3)
    with Registry.open(place) as registry, pytest.raises(RegistryError):
        registry.find(query, 1, MODEL)


def test_a_count_below_one_is_an_error(place: Place) -> None:
    with (
        Registry.open(place) as registry,
        pytest.raises(RegistryError, match="at least 1"),
    ):
        registry.find(np.ones(WIDTH), 0, MODEL)


def test_all_features_of_a_model_come_as_one_matrix_in_chain_order(place: Place) -> None:
    records = fill(place, 30)
    with Registry.open(place) as registry:
        table = registry.features(MODEL)
    assert table.record_ids == tuple(record.id for record in records)
    np.testing.assert_array_equal(table.matrix, np.stack([record.feature for record in records]))
