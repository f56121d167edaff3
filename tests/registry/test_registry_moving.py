"""Backups while others register, restoring them, and moving between databases in both directions."""

from __future__ import annotations

import threading
from pathlib import Path

import psycopg
import pytest
from registry_samples import KEY, Place, edit, fill, make_draft

from tiacam.errors import (
    DamagedRegistryError,
    DataError,
    RegistryError,
    RegistryUnavailableError,
    SchemaError,
)
from tiacam.registry import OwnerKey, Registry
from tiacam.registry.migrations import LATEST
from tiacam.registry.moving import back_up, move, update_schema
from tiacam.registry.postgres.schema import LATEST as LATEST_ON_SERVER
from tiacam.registry.postgres.schema import migrate


def fill_with_everything(place: Place) -> None:
    with Registry.open(place) as registry:
        registry.add_many([make_draft(number, manifest=b"m" * number) for number in range(5)], KEY)
        successor = OwnerKey.generate()
        registry.log.rotate(KEY, successor)
        registry.log.sign_head(successor)


def test_a_backup_holds_everything_and_goes_on_by_itself(place: Place, tmp_path: Path) -> None:
    fill_with_everything(place)
    with Registry.open(place) as registry:
        report = back_up(registry, tmp_path / "backup.tiacam")
        assert report == registry.verify_chain()
    with Registry.open(tmp_path / "backup.tiacam") as copy:
        assert copy.manifest(list(copy.records())[3].id) == b"mmm"
        copy.add(make_draft(), OwnerKey.generate())
        assert copy.verify_chain().records == 6
    assert {path.name.removeprefix("backup.tiacam") for path in tmp_path.glob("*backup*")} <= {
        "",
        "-wal",
        "-shm",
    }


def test_a_backup_is_whole_while_others_register(place: Place, tmp_path: Path) -> None:
    fill(place, 50)
    stop = threading.Event()
    added: list[str] = []

    def register() -> None:
        with Registry.open(place) as registry:
            while not stop.is_set():
                added.append(registry.add(make_draft(), KEY).id)
                registry.log.sign_head(KEY)

    worker = threading.Thread(target=register)
    worker.start()
    try:
        with Registry.open(place) as registry:
            for number in range(5):
                before = 50 + len(added)
                report = back_up(registry, tmp_path / f"backup-{number}")
                assert before <= report.records
    finally:
        stop.set()
        worker.join()
    assert len(added) > 5
    with Registry.open(place) as registry:
        assert registry.verify_chain().records == 50 + len(added)


def test_a_backup_never_replaces_a_file_and_leaves_nothing_when_it_fails(
    place: Place, tmp_path: Path
) -> None:
    fill(place, 1)
    (tmp_path / "there").touch()
    with Registry.open(place) as registry:
        with pytest.raises(DataError, match="exists already"):
            back_up(registry, tmp_path / "there")
        with pytest.raises((DataError, RegistryUnavailableError)):
            back_up(registry, tmp_path / "there" / "backup")


def test_a_damaged_registry_is_not_taken_for_a_backup(place: Place, tmp_path: Path) -> None:
    fill(place, 3)
    edit(place, "UPDATE record SET note = 'mine' WHERE seq = 2")
    with Registry.open(place) as registry, pytest.raises(DamagedRegistryError):
        back_up(registry, tmp_path / "backup")
    assert not (tmp_path / "backup").exists()


def test_a_registry_moves_to_a_server_and_back(tmp_path: Path, url: str) -> None:
    fill_with_everything(tmp_path / "first.tiacam")
    with (
        Registry.open(tmp_path / "first.tiacam") as first,
        Registry.open(url) as server,
        Registry.open(tmp_path / "second.tiacam") as second,
    ):
        assert move(first, server).moved.added == 5
        assert move(server, second).audit == first.verify_chain() == server.verify_chain()
        assert list(second.records()) == list(first.records())
        record = next(server.records())
        assert server.find(record.feature, 1, record.model)[0].record_id == record.id
        assert move(first, server).moved.present == 5


def test_a_restore_into_another_history_is_refused(tmp_path: Path, place: Place) -> None:
    fill(tmp_path / "backup.tiacam", 2)
    fill(place, 1)
    with Registry.open(tmp_path / "backup.tiacam") as backup, Registry.open(place) as registry:
        with pytest.raises(RegistryError, match="another history"):
            move(backup, registry)
        assert len(registry) == 1


def test_an_older_schema_on_a_server_is_left_to_the_administrator(url: str) -> None:
    fill(url, 1)
    with psycopg.connect(url) as connection:
        connection.execute("UPDATE tiacam.ledger SET version = 3")
    with pytest.raises(SchemaError, match="tiacam migrate"):
        Registry.open(url)
    with psycopg.connect(url) as connection:
        assert migrate(connection, {4: "CREATE TABLE tiacam.step (a integer)"}) == 4
    Registry.open(url).close()
    assert update_schema(url) == LATEST_ON_SERVER == LATEST


def test_a_newer_schema_on_a_server_is_refused_with_both_versions(url: str) -> None:
    fill(url, 1)
    with psycopg.connect(url) as connection:
        connection.execute("UPDATE tiacam.ledger SET version = 99")
    with pytest.raises(SchemaError, match=f"version 99, this TIACam knows versions up to {LATEST}"):
        Registry.open(url)
