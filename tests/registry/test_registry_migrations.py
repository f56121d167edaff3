"""The schema: old ledgers are brought up to date, newer ones and strangers are refused untouched."""

from __future__ import annotations

import hashlib
import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from registry_samples import KEY, MODEL, fill, make_draft

from tiacam.errors import DamagedRegistryError, SchemaError
from tiacam.registry import Registry
from tiacam.registry.database import Database, open_immutable
from tiacam.registry.migrations import LATEST, MIGRATIONS

FIRST_LEDGER = Path(__file__).parent / "schema-1.sql"
HEAD_OF_FIRST_LEDGER = "84f6ba4715d43a5778ae1e99fda681f9c8b0667652b328692da3b3ad90242e14"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "registry.sqlite"


def run(path: Path, script: str) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(script)


def schema(path: Path) -> set[tuple[str, str]]:
    with closing(sqlite3.connect(path)) as connection:
        rows = connection.execute("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL").fetchall()
    return {(name, " ".join(sql.split())) for name, sql in rows}


RELEASED = ["0ee8de095afc43b0", "a0a50dd3481fd597", "2fc96f6c5a277c9f", "75279cd4dc9724b7"]


@pytest.mark.parametrize(("number", "digest"), list(enumerate(RELEASED)))
def test_a_released_step_never_changes(number: int, digest: str) -> None:
    assert hashlib.sha256(MIGRATIONS[number].encode()).hexdigest()[:16] == digest


def test_a_ledger_of_the_first_version_is_migrated_with_all_its_records(path: Path) -> None:
    run(path, FIRST_LEDGER.read_text(encoding="utf-8"))
    with Registry.open(path) as registry:
        report = registry.verify_chain()
        assert (report.records, report.head.hex()) == (3, HEAD_OF_FIRST_LEDGER)
        assert [record.note for record in registry.records()] == ["picture 0", "picture 1", "picture 2"]
        assert len(registry.find(np.ones(16), 3, MODEL)) == 3
        registry.add(make_draft(), KEY)
        assert registry.verify_chain().records == 4


def test_a_ledger_of_the_first_version_that_cannot_be_written_is_read_as_it_is(path: Path) -> None:
    run(path, FIRST_LEDGER.read_text(encoding="utf-8"))
    before = path.read_bytes()
    database = Database(path, open_immutable(path), timeout=1)
    with Registry(database) as registry:
        assert registry.verify_chain().head.hex() == HEAD_OF_FIRST_LEDGER
        assert all(record.landmarks == b"" for record in registry.records())
    assert path.read_bytes() == before


def test_a_migrated_ledger_and_a_new_one_have_the_same_schema(path: Path, tmp_path: Path) -> None:
    run(path, FIRST_LEDGER.read_text(encoding="utf-8"))
    Registry.open(path).close()
    Registry.open(tmp_path / "new.sqlite").close()
    assert schema(path) == schema(tmp_path / "new.sqlite")
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (LATEST,)


def test_a_newer_schema_is_refused_with_both_versions(path: Path) -> None:
    fill(path, 1)
    run(path, "PRAGMA user_version = 99")
    with pytest.raises(SchemaError, match=f"version 99, this TIACam knows versions up to {LATEST}"):
        Registry.open(path)


@pytest.mark.parametrize(
    "script",
    [
        "CREATE TABLE picture (name TEXT)",
        "PRAGMA application_id = 7",
        "PRAGMA user_version = 1; CREATE TABLE t (a)",
    ],
)
def test_a_foreign_database_is_refused_and_left_as_it_is(path: Path, script: str) -> None:
    run(path, script)
    before = path.read_bytes()
    with pytest.raises(DamagedRegistryError, match="not a registry"):
        Registry.open(path)
    assert path.read_bytes() == before
