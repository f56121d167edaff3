"""What the registry promises to whoever adds, looks up and reads."""

from __future__ import annotations

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from registry_samples import KEY, MODEL, Place, edit, fill, in_postgres, make_draft

from tiacam.errors import (
    DamagedRegistryError,
    RecordExistsError,
    RecordNotFoundError,
    RegistryError,
    RegistryUnavailableError,
)
from tiacam.registry import OwnerKey, Registry
from tiacam.registry.counting import ModelCounts
from tiacam.registry.database import Database


def test_what_was_added_is_there_after_reopening(place: Place) -> None:
    with Registry.open(place) as registry:
        record = registry.add(make_draft(note="sunset"), KEY)
    with Registry.open(place, create=False) as registry:
        assert registry.get(record.id) == record
        assert registry.get(record.id).note == "sunset"
        assert len(registry) == 1


def test_records_come_in_the_order_in_which_they_were_added(place: Place) -> None:
    added = fill(place, 600)
    with Registry.open(place) as registry:
        assert list(registry.records()) == added


TEXT = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]))


@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(note=TEXT, media_type=st.none() | TEXT, width=st.integers(1, 2000))
def test_any_note_and_any_width_survive_the_database(
    place: Place, note: str, media_type: str | None, width: int
) -> None:
    model = f"tiny-{width}"
    draft = make_draft(model=model, feature=range(1, width + 1), note=note, media_type=media_type)
    with Registry.open(place) as registry:
        record = registry.add(draft, KEY)
        assert registry.get(record.id) == record
        stored = list(registry.records())[-1]
        assert stored.canonical_bytes() == record.canonical_bytes()


def test_features_come_back_bit_for_bit_whatever_numbers_they_hold(place: Place) -> None:
    feature = np.array([1.0, -0.0, 6e-8, -6e-8, 0.333, 1e-4, -1e-7, 0.0])
    with Registry.open(place) as registry:
        record = registry.add(make_draft(feature=feature), KEY)
        assert registry.get(record.id).feature.tobytes() == record.feature.tobytes()
        assert registry.features(MODEL).matrix.tobytes() == record.feature.tobytes()


def test_adding_the_same_draft_twice_is_noticed_and_leaves_nothing(place: Place) -> None:
    draft = make_draft()
    with Registry.open(place) as registry:
        record = registry.add(draft, KEY)
        with pytest.raises(RecordExistsError, match=record.id):
            registry.add_many([make_draft(), draft], KEY)
        assert [stored.id for stored in registry.records()] == [record.id]
        assert registry.add(draft, OwnerKey.generate()).id != record.id


def test_records_of_several_owners_and_models_share_one_chain(place: Place) -> None:
    other = OwnerKey.generate()
    with Registry.open(place) as registry:
        registry.add(make_draft(), KEY)
        registry.add(make_draft(model="tiny-2", feature=[1.0, 2.0]), other)
        registry.add(make_draft(), KEY)
        assert registry.verify_chain().owners == (KEY.public, other.public)
        assert registry.models() == {MODEL: 2, "tiny-2": 1}


def test_models_are_counted_with_what_others_added(place: Place) -> None:
    with Registry.open(place) as registry, Registry.open(place) as other:
        assert registry.models() == {}
        registry.add(make_draft(), KEY)
        assert registry.models() == {MODEL: 1}
        other.add_many([make_draft(), make_draft(model="tiny-2"), make_draft()], KEY)
        assert registry.models() == other.models() == {MODEL: 3, "tiny-2": 1}


def test_records_that_were_counted_are_not_gone_through_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Reading asks three times a photo: SQLite went through its whole index of models, 9 ms of 100,000 records."""
    place = tmp_path / "r.tiacam"
    fill(place, 50)
    database = Database.open(place, create=False, timeout=5)
    asked: list[tuple[str, tuple[Any, ...]]] = []
    counts = ModelCounts(database)
    assert counts.current() == {MODEL: 50}
    with Registry.open(place) as registry:
        registry.add(make_draft(), KEY)
    rows = database.rows

    def noted(query: str, *values: Any) -> list[Any]:
        asked.append((query, values))
        return rows(query, *values)

    monkeypatch.setattr(database, "rows", noted)
    assert counts.current() == counts.current() == {MODEL: 51}
    *_, (query, values), _ = asked
    plan = [step[3] for step in rows(f"EXPLAIN QUERY PLAN {query}", *values)]
    assert any("USING INTEGER PRIMARY KEY (rowid>?)" in step for step in plan), plan
    assert len(asked) == 3
    database.close()


def test_an_id_may_be_shortened_to_six_characters_while_it_is_the_only_one(place: Place) -> None:
    (record,) = fill(place, 1)
    with Registry.open(place) as registry:
        assert registry.get(record.id[:6]) == record
        assert registry.get(f" {record.id[:12].upper()}\n") == record
        with pytest.raises(RecordNotFoundError):
            registry.get(record.id[:5])


def test_a_shortened_id_of_several_records_names_them(place: Place) -> None:
    records = fill(place, 2)
    twin = records[0].id[:-1] + ("a" if records[0].id[-1] != "a" else "b")
    edit(place, f"UPDATE record SET id = '{twin}' WHERE id = '{records[1].id}'")
    with Registry.open(place) as registry, pytest.raises(RecordNotFoundError, match="several") as caught:
        registry.get(records[0].id[:10])
    assert records[0].id in str(caught.value)
    assert twin in str(caught.value)


@pytest.mark.parametrize(
    "record_id", ["", "tia", "tiaaaaaaaaaaaaaa", "%", "tia%%%%%%", "été-été", "\ud800......", "x\0y....."]
)
def test_an_unknown_id_says_how_to_list_the_known_ones(place: Place, record_id: str) -> None:
    fill(place, 1)
    with Registry.open(place) as registry, pytest.raises(RecordNotFoundError, match="tiacam list"):
        registry.get(record_id)


def test_looking_up_an_edited_record_is_an_error(place: Place) -> None:
    (record,) = fill(place, 1)
    edit(place, "UPDATE record SET created_at = '2001-01-01T00:00:00.000000Z'")
    with Registry.open(place) as registry, pytest.raises(DamagedRegistryError, match="signature"):
        registry.get(record.id)


def test_a_feature_of_another_width_is_refused_for_the_same_model(place: Place) -> None:
    with Registry.open(place) as registry:
        registry.add(make_draft(), KEY)
        with pytest.raises(RegistryError, match="width 3, those of model 'tiny-1' have 16"):
            registry.add(make_draft(feature=[1.0, 2.0, 3.0]), KEY)
        assert len(registry) == 1


def test_threads_may_share_one_registry(place: Place) -> None:
    with Registry.open(place) as registry, ThreadPoolExecutor(8) as pool:
        added = list(pool.map(lambda number: registry.add(make_draft(number), KEY), range(100)))
        assert {record.id for record in registry.records()} == {record.id for record in added}
        assert registry.verify_chain().records == 100


def test_reading_goes_on_while_records_are_added(place: Place) -> None:
    fill(place, 300)
    with Registry.open(place) as registry:
        reader = registry.records()
        next(reader)
        registry.add(make_draft(), KEY)
        assert len(list(reader)) == 300


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE record SET note = 'mine'",
        "DELETE FROM record WHERE seq = 1",
        "INSERT OR REPLACE INTO record SELECT * FROM record WHERE seq = 1",
        "INSERT INTO record SELECT 9, 'x', created_at, model, mark, feature, bits, media_type, sha256, note,"
        " owner, x'00', signature, landmarks, manifest_sha256 FROM record WHERE seq = 1",
        "UPDATE manifest SET data = x'00'",
        "DELETE FROM manifest",
    ],
)
def test_the_database_itself_refuses_to_change_history(place: Place, statement: str) -> None:
    fill(place, 2)
    with Registry.open(place) as registry:
        registry.add(make_draft(manifest=b"m"), KEY)
    with pytest.raises((sqlite3.IntegrityError, psycopg.IntegrityError), match="only grows"):
        run_bare(place, statement.replace(" OR REPLACE", "") if isinstance(place, str) else statement)


def run_bare(place: Place, statement: str) -> None:
    """A statement by somebody who leaves the triggers where they are."""
    if isinstance(place, Path):
        with closing(sqlite3.connect(place)) as connection:
            connection.execute(statement)
        return
    with psycopg.connect(place) as connection:
        connection.execute("SET search_path = tiacam, public")
        connection.execute(in_postgres(statement).encode())


def test_commits_are_synchronous_and_the_log_is_kept_short(tmp_path: Path) -> None:
    path = tmp_path / "registry.sqlite"
    database = Database.open(path, create=True, timeout=1)
    with Registry(database) as registry:
        pragma = database.connection.execute
        assert pragma("PRAGMA journal_mode").fetchone() == ("wal",)
        assert pragma("PRAGMA synchronous").fetchone() == (2,)
        assert pragma("PRAGMA wal_autocheckpoint").fetchone() == (0,)
        for number in range(600):
            registry.add(make_draft(number), KEY)
        assert path.with_name(path.name + "-wal").stat().st_size < 9_000_000


def test_closing_twice_is_harmless_and_using_a_closed_registry_says_so(place: Place) -> None:
    registry = Registry.open(place)
    registry.close()
    registry.close()
    with pytest.raises(RegistryUnavailableError, match="closed"):
        registry.add(make_draft(), KEY)


def test_a_relative_path_survives_a_change_of_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with Registry.open("registry.sqlite") as registry:
        (tmp_path / "elsewhere").mkdir()
        monkeypatch.chdir(tmp_path / "elsewhere")
        registry.add_many([make_draft() for _ in range(300)], KEY)
    assert list((tmp_path / "elsewhere").iterdir()) == []
