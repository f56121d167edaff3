"""Milvus as the index: what it covers is checked, and when it is away the ledger goes on."""

from __future__ import annotations

import logging
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pymilvus import MilvusClient
from registry_samples import KEY, MODEL, WIDTH, fill, make_draft

from tiacam.errors import RegistryUnavailableError, UsageError
from tiacam.registry import Record, Registry
from tiacam.registry.shelf_milvus import MilvusAddress


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("milvus") / "index.db"


@pytest.fixture(scope="module")
def client(file: Path) -> Iterator[Any]:
    client = MilvusClient(str(file))
    yield client
    client.close()


@pytest.fixture
def nobody() -> str:
    """An address where nothing listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"milvus://127.0.0.1:{probe.getsockname()[1]}"


def look(path: Path, index: str, records: list[Record]) -> list[bool]:
    with Registry.open(path, index=index) as registry:
        return [registry.find(record.feature, 1, MODEL)[0].record_id == record.id for record in records]


def collection_of(client: Any, before: set[str]) -> str:
    (new,) = set(client.list_collections()) - before
    return str(new)


def test_registering_goes_on_while_milvus_is_away_and_says_that_the_index_lags(
    tmp_path: Path, nobody: str, caplog: pytest.LogCaptureFixture
) -> None:
    with Registry.open(tmp_path / "registry", index=nobody) as registry:
        with caplog.at_level(logging.WARNING):
            record = registry.add(make_draft(1), KEY)
        assert "lags behind" in caplog.text
        assert nobody in caplog.text
        assert registry.get(record.id) == record
        state = registry.index_state(MODEL)
        assert state is not None
        assert (state.records, state.lagging) == (0, 1)
        assert "1 more lag behind" in str(state)


def test_a_search_without_milvus_is_an_error_with_the_address(tmp_path: Path, nobody: str) -> None:
    fill(tmp_path / "registry", 3)
    with (
        Registry.open(tmp_path / "registry", index=nobody) as registry,
        pytest.raises(RegistryUnavailableError, match=nobody),
    ):
        registry.find(np.ones(WIDTH), 1, MODEL)


def test_a_damaged_file_is_an_error_that_says_what_to_do_and_doing_it_helps(tmp_path: Path) -> None:
    path = tmp_path / "damaged.db"
    path.write_bytes(bytes(range(256)) * 64)
    records = fill(tmp_path / "registry", 3)
    with pytest.raises(RegistryUnavailableError, match="delete it"):
        look(tmp_path / "registry", f"milvus://{path}", records)
    path.unlink()
    assert all(look(tmp_path / "registry", f"milvus://{path}", records))


def test_milvus_catches_up_with_what_was_registered_meanwhile(
    tmp_path: Path, nobody: str, file: Path
) -> None:
    with Registry.open(tmp_path / "registry", index=nobody) as registry:
        records = registry.add_many([make_draft(number) for number in range(10)], KEY)
    assert all(look(tmp_path / "registry", f"milvus://{file}", records))


def test_a_dropped_collection_is_made_again(tmp_path: Path, file: Path, client: Any) -> None:
    before = set(client.list_collections())
    records = fill(tmp_path / "registry", 10)
    look(tmp_path / "registry", f"milvus://{file}", records)
    client.drop_collection(collection_of(client, before))
    assert all(look(tmp_path / "registry", f"milvus://{file}", records))


def test_a_collection_that_lost_rows_is_noticed_and_made_again(
    tmp_path: Path, file: Path, client: Any, caplog: pytest.LogCaptureFixture
) -> None:
    before = set(client.list_collections())
    records = fill(tmp_path / "registry", 10)
    look(tmp_path / "registry", f"milvus://{file}", records)
    client.delete(collection_of(client, before), ids=[3, 4])
    assert all(look(tmp_path / "registry", f"milvus://{file}", records))
    assert "is made again" in caplog.text


def test_a_ledger_that_lost_its_newest_records_does_not_find_them_in_milvus(
    tmp_path: Path, file: Path
) -> None:
    path = tmp_path / "registry"
    records = fill(path, 5)
    older = path.read_bytes()
    with Registry.open(path, index=f"milvus://{file}") as registry:
        lost = registry.add(make_draft(99), KEY)
        assert registry.find(lost.feature, 1, MODEL)[0].record_id == lost.id
    path.write_bytes(older)
    with Registry.open(path, index=f"milvus://{file}") as registry:
        found = registry.find(lost.feature, 10, MODEL)
    assert {neighbour.record_id for neighbour in found} == {record.id for record in records}


def test_an_address_is_shown_without_its_password() -> None:
    address = MilvusAddress.parse("milvus+tls://anna:s%40cret@example.org?index=diskann")
    assert address.uri == "https://example.org:19530"
    assert (address.token, address.index_type) == ("anna:s@cret", "DISKANN")
    assert "s@cret" not in address.shown
    assert "anna" not in address.shown


@pytest.mark.parametrize("text", ["milvus://", "milvus", "milvusx://host", "milvus://host:port"])
def test_what_is_no_address_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="wanted milvus://host:port"):
        MilvusAddress.parse(text)
