"""What every kind of index promises: the nearest records with their true cosines, whoever added them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from registry_samples import KEY, MODEL, fill, make_draft

from tiacam.errors import UsageError
from tiacam.registry import Registry, shelf_file
from tiacam.registry.index_signs import SignsIndex

KINDS = ["exact", "signs", "usearch", "milvus"]


@pytest.fixture(scope="module")
def milvus(tmp_path_factory: pytest.TempPathFactory) -> str:
    """One embedded Milvus for all tests: starting it takes longer than they do."""
    return f"milvus://{tmp_path_factory.mktemp('milvus') / 'index.db'}"


@pytest.fixture(params=KINDS)
def index(request: pytest.FixtureRequest, milvus: str, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(shelf_file, "LEAST_FOLD", 8)  # so that these few records are worth a file
    return milvus if request.param == "milvus" else str(request.param)


def test_a_registered_feature_finds_its_own_record_first(tmp_path: Path, index: str) -> None:
    records = fill(tmp_path / "registry", 40)
    with Registry.open(tmp_path / "registry", index=index) as registry:
        found = registry.find_many(np.stack([record.feature for record in records]), 3, MODEL)
    assert [near[0].record_id for near in found] == [record.id for record in records]
    assert all(near[0].cosine == pytest.approx(1.0, abs=1e-3) and len(near) == 3 for near in found)


def test_cosines_are_those_of_the_ledger(tmp_path: Path, index: str) -> None:
    records = fill(tmp_path / "registry", 25)
    query = np.random.default_rng(5).standard_normal(records[0].feature.size)
    with Registry.open(tmp_path / "registry", index=index) as registry:
        found = registry.find(query, 4, MODEL)
    by_id = {record.id: record.feature.astype(np.float64) for record in records}
    for neighbour in found:
        feature = by_id[neighbour.record_id]
        true = feature @ query / np.linalg.norm(feature) / np.linalg.norm(query)
        assert neighbour.cosine == pytest.approx(true, abs=1e-5)


def test_what_another_process_adds_is_found_at_once(tmp_path: Path, index: str) -> None:
    fill(tmp_path / "registry", 20)
    with (
        Registry.open(tmp_path / "registry", index=index) as registry,
        Registry.open(tmp_path / "registry") as other,
    ):
        registry.find(make_draft(1).feature, 1, MODEL)
        added = other.add_many([make_draft(1000 + number) for number in range(30)], KEY)
        assert all(registry.find(record.feature, 1, MODEL)[0].record_id == record.id for record in added)


def test_of_equal_features_the_older_record_comes_first(tmp_path: Path, index: str) -> None:
    with Registry.open(tmp_path / "registry", index=index) as registry:
        older, newer = registry.add_many([make_draft(1), make_draft(1)], KEY)
        registry.add_many([make_draft(number) for number in range(2, 20)], KEY)
        found = registry.find(older.feature, 2, MODEL)
    assert [neighbour.record_id for neighbour in found] == [older.id, newer.id]


def test_models_are_never_mixed(tmp_path: Path, index: str) -> None:
    with Registry.open(tmp_path / "registry", index=index) as registry:
        for number in range(12):
            mine = registry.add(make_draft(number), KEY)
            registry.add(make_draft(number, model="tiny-2"), KEY)
        found = registry.find(mine.feature, 12, MODEL)
        assert len(found) == 12
        assert all(registry.get(neighbour.record_id).model == MODEL for neighbour in found)


def test_the_state_counts_records_and_those_that_lag(tmp_path: Path, index: str) -> None:
    with Registry.open(tmp_path / "registry", index=index) as registry:
        registry.add_many([make_draft(number) for number in range(20)], KEY)
        registry.find(make_draft(1).feature, 1, MODEL)
        state = registry.index_state(MODEL)
    assert state is not None
    assert (state.records, state.lagging) == (20, 0)


@pytest.mark.parametrize(
    "index", ["faiss", "", "milvus://", "milvus", "http://host", "EXACT"], ids=lambda index: index or "empty"
)
def test_an_index_that_does_not_exist_is_refused_before_a_file_is_made(tmp_path: Path, index: str) -> None:
    with pytest.raises(UsageError, match="wanted"):
        Registry.open(tmp_path / "registry", index=index)
    assert not (tmp_path / "registry").exists()


def test_a_file_index_cannot_go_with_a_registry_on_a_server() -> None:
    with pytest.raises(UsageError, match="no file"):
        Registry.open("postgresql://nobody@nowhere/registry", index="signs")


def test_signs_list_every_record_that_a_reading_could_accept() -> None:
    rng = np.random.default_rng(3)
    features = rng.standard_normal((20_000, 768)).astype(np.float32)
    features /= np.linalg.norm(features, axis=1, keepdims=True)
    noise = rng.standard_normal((100, 768)).astype(np.float32)
    noise /= np.linalg.norm(noise, axis=1, keepdims=True)
    queries = 0.4 * features[:100] + np.sqrt(1 - 0.4**2).astype(np.float32) * noise
    index = SignsIndex(768)
    index.add(np.arange(20_000), features)
    found = index.search(queries / np.linalg.norm(queries, axis=1, keepdims=True), 8)
    assert all(number in hits.numbers for number, hits in enumerate(found))
