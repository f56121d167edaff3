"""Damaged files, missing folders, locks: each with an error that says what is wrong."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from registry_samples import KEY, fill, make_draft

from tiacam.errors import DamagedRegistryError, RegistryUnavailableError
from tiacam.registry import Registry
from tiacam.registry.faults import translated

PAGE = 4096


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "registry.sqlite"


def use(path: Path) -> None:
    with Registry.open(path) as registry:
        registry.verify_chain()


@pytest.mark.parametrize("content", [b"hello, I am no database\n" * 100, b"hi", bytes(8192)])
def test_a_file_that_is_no_database_is_refused_and_left_as_it_is(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    with pytest.raises(DamagedRegistryError, match=r"registry\.sqlite"):
        use(path)
    assert path.read_bytes() == content


def test_a_page_overwritten_with_rubbish_is_found_wherever_it_is(path: Path) -> None:
    fill(path, 40)
    whole = path.read_bytes()
    assert len(whole) >= 10 * PAGE
    for start in range(0, len(whole), PAGE):
        path.write_bytes(whole[:start] + bytes([0xA5]) * PAGE + whole[start + PAGE :])
        with pytest.raises(DamagedRegistryError):
            use(path)


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_a_truncated_file_is_found(path: Path, share: float) -> None:
    fill(path, 40)
    content = path.read_bytes()
    path.write_bytes(content[: int(len(content) * share)])
    with pytest.raises(DamagedRegistryError):
        use(path)


def test_a_registry_without_its_table_is_damaged(path: Path) -> None:
    fill(path, 1)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("DROP TABLE record")
    with pytest.raises(DamagedRegistryError, match="no such table"):
        use(path)


def test_a_registry_that_must_exist_and_does_not_is_named(path: Path) -> None:
    with pytest.raises(RegistryUnavailableError, match="no registry at"):
        Registry.open(path, create=False)
    assert not path.exists()


def test_an_empty_file_becomes_a_registry_only_where_one_may_be_made(path: Path) -> None:
    path.touch()
    with pytest.raises(DamagedRegistryError, match="empty"):
        Registry.open(path, create=False)
    use(path)


def test_a_folder_in_place_of_the_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(RegistryUnavailableError, match="cannot be opened"):
        Registry.open(tmp_path)


def test_a_file_in_place_of_the_folder_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(RegistryUnavailableError):
        Registry.open(tmp_path / "file" / "registry.sqlite")


@contextmanager
def locked(path: Path) -> Iterator[None]:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        yield
        connection.execute("ROLLBACK")


def test_a_lock_that_is_never_given_up_ends_in_an_error_and_reading_goes_on(path: Path) -> None:
    fill(path, 1)
    with Registry.open(path, timeout=0.1) as registry:
        with locked(path):
            with pytest.raises(RegistryUnavailableError, match="locked"):
                registry.add(make_draft(), KEY)
            assert registry.verify_chain().records == 1
        registry.add(make_draft(), KEY)
        assert registry.verify_chain().records == 2


def test_a_full_database_is_reported_as_a_full_disk(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA max_page_count = 4")
        connection.execute("CREATE TABLE t (a)")
        with pytest.raises(RegistryUnavailableError, match="disk is full"), translated(path):
            connection.execute("INSERT INTO t VALUES (zeroblob(100000))")


def test_an_interrupted_transaction_leaves_nothing(path: Path) -> None:
    with Registry.open(path) as registry:
        with pytest.raises(KeyboardInterrupt), registry._database.transaction():
            raise KeyboardInterrupt
        registry.add(make_draft(), KEY)
        assert registry.verify_chain().records == 1
