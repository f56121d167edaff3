"""What only a server can do: be too old, be away, be restarted, and be shared by people with their own keys."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import psycopg
import pytest
from registry_samples import KEY, MODEL, fill, make_draft
from registry_server import Server

from tiacam.errors import (
    ConnectionLostError,
    DamagedRegistryError,
    RegistryError,
    RegistryUnavailableError,
)
from tiacam.registry import OwnerKey, Registry, beside, key_path
from tiacam.registry.postgres.database import PostgresDatabase, public_name, update_schema
from tiacam.registry.postgres.schema import check_server

CHILD = Path(__file__).parent / "registry_child.py"


@pytest.mark.parametrize(
    ("server", "pgvector", "complaint"),
    [
        (140012, "0.8.5", r"PostgreSQL 14\.12, wanted 15 or newer"),
        (150000, None, "no pgvector"),
        (150000, "0.6.2", r"pgvector 0\.6\.2, wanted 0\.7 or newer"),
        (90624, "0.10.0", r"PostgreSQL 9\.624, wanted 15"),
    ],
)
def test_an_old_server_is_told_apart_with_what_is_wanted(
    server: int, pgvector: str | None, complaint: str
) -> None:
    with pytest.raises(RegistryUnavailableError, match=complaint):
        check_server(server, pgvector, "postgresql://host/db")


@pytest.mark.parametrize(("server", "pgvector"), [(150000, "0.7.0"), (180004, "0.8.5"), (190000, "1.0")])
def test_a_server_that_is_new_enough_is_taken(server: int, pgvector: str) -> None:
    check_server(server, pgvector, "postgresql://host/db")


def test_a_server_that_is_not_there_is_named_without_its_password() -> None:
    with pytest.raises(ConnectionLostError, match=r"postgresql://127\.0\.0\.1:9/pictures") as caught:
        Registry.open("postgresql://me:secret@127.0.0.1:9/pictures", timeout=0.1)
    assert "secret" not in str(caught.value)


def test_without_the_driver_the_error_names_the_extra() -> None:
    script = (
        "import sys; sys.modules['psycopg'] = None\n"
        "from tiacam.registry import Registry\n"
        "Registry.open('postgresql://host/db')"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert "pip install 'tiacam[postgres]'" in done.stderr


def test_a_database_that_is_not_there_says_how_to_make_it(server: Server) -> None:
    with pytest.raises(RegistryError, match=r"createdb|does not exist"):
        Registry.open(server.url("nowhere"), timeout=0.1)


@pytest.mark.parametrize("url", ["postgresql://host:port/db", "postgresql://h/db?nonsense=1"])
def test_a_malformed_url_is_refused(url: str) -> None:
    with pytest.raises(RegistryUnavailableError, match=r"no PostgreSQL URL|cannot be reached"):
        Registry.open(url, timeout=0.1)


def test_a_database_without_a_registry_is_not_made_one_by_reading(url: str) -> None:
    with pytest.raises(RegistryUnavailableError, match="there is no registry"):
        Registry.open(url, create=False)
    with psycopg.connect(url) as connection:
        assert connection.execute("SELECT to_regnamespace('tiacam')").fetchone() == (None,)


def test_a_role_without_rights_is_told_so(server: Server, url: str) -> None:
    fill(url, 1)
    database = url.partition("@/")[2].partition("?")[0]
    server.run("DROP ROLE IF EXISTS visitor", "CREATE ROLE visitor LOGIN")
    visitor = url.replace("postgres@", "visitor@")
    with pytest.raises(RegistryUnavailableError, match="does not allow that"):
        Registry.open(visitor)
    server.run(
        "GRANT USAGE ON SCHEMA tiacam TO visitor",
        "GRANT SELECT ON ALL TABLES IN SCHEMA tiacam TO visitor",
        database=database,
    )
    with Registry.open(visitor) as registry:
        assert registry.verify_chain().records == 1
        with pytest.raises(RegistryUnavailableError, match="does not allow that"):
            registry.add(make_draft(), KEY)


def test_a_registry_without_its_table_is_damaged(url: str) -> None:
    fill(url, 1)
    with psycopg.connect(url) as connection:
        connection.execute("DROP TABLE tiacam.record")
    with Registry.open(url) as registry, pytest.raises(DamagedRegistryError, match="does not exist"):
        len(registry)


def test_the_search_goes_over_the_index_of_its_model(url: str) -> None:
    rng = np.random.default_rng(1)
    with Registry.open(url) as registry:
        records = registry.add_many([make_draft(feature=rng.standard_normal(64)) for _ in range(400)], KEY)
        found = registry.find_many(np.stack([record.feature for record in records[::20]]), 1, MODEL)
    assert [near[0].record_id for near in found] == [record.id for record in records[::20]]
    with psycopg.connect(url) as connection:
        connection.execute("ANALYZE tiacam.record")
        connection.execute("SET enable_seqscan = off")
        connection.execute("SET enable_sort = off")  # which so few rows would be faster with
        plan = connection.execute(
            "EXPLAIN SELECT id FROM tiacam.record WHERE model = 'tiny-1'"
            " ORDER BY feature::halfvec(64) <=> (SELECT feature::halfvec(64) FROM tiacam.record WHERE seq = 1) LIMIT 5"
        ).fetchall()
    assert any("record_near_" in line for (line,) in plan)


def test_an_index_that_was_dropped_is_made_again_by_migrating_and_missed_by_nobody_until_then(
    url: str,
) -> None:
    records = fill(url, 3)
    named = "SELECT indexname FROM pg_indexes WHERE schemaname = 'tiacam' AND indexname LIKE 'record_near_%'"
    with psycopg.connect(url, autocommit=True) as connection:
        ((name,),) = connection.execute(named).fetchall()
        connection.execute(f'DROP INDEX tiacam."{name}"'.encode())
        with Registry.open(url) as registry:
            assert registry.find(records[1].feature, 1, MODEL)[0].record_id == records[1].id
        update_schema(url)
        assert connection.execute(named).fetchall() == [(name,)]


def test_a_lock_that_is_never_given_up_ends_in_an_error_and_reading_goes_on(url: str) -> None:
    fill(url, 1)
    with Registry.open(url, timeout=0.2) as registry:
        with psycopg.connect(url) as other:
            other.execute("SELECT FROM tiacam.ledger FOR UPDATE")
            with pytest.raises(RegistryUnavailableError, match="locked"):
                registry.add(make_draft(), KEY)
            assert registry.verify_chain().records == 1
        registry.add(make_draft(), KEY)


def test_an_interrupted_transaction_leaves_nothing(url: str) -> None:
    with Registry.open(url) as registry:
        with pytest.raises(KeyboardInterrupt), registry.store.transaction():
            raise KeyboardInterrupt
        registry.add(make_draft(), KEY)
        assert registry.verify_chain().records == 1


def test_a_commit_whose_acknowledgement_was_lost_is_found_again(url: str) -> None:
    """The connection dies after the server has committed and before it said so."""
    draft = make_draft()
    with Registry.open(url) as registry:
        stored = registry.add(draft, KEY)
        again = registry._append([draft], KEY, lambda _: None, again=True)
        assert again == [stored]
        assert len(registry) == 1


@pytest.mark.parametrize("mode", ["fast", "immediate"])
def test_a_restart_under_load_loses_nothing_and_ends_no_process(
    server: Server, url: str, tmp_path: Path, mode: str
) -> None:
    journals = [tmp_path / f"acknowledged-{number}" for number in range(3)]
    command = [sys.executable, str(CHILD), "register-forever", url]
    children = [subprocess.Popen([*command, str(journal)], stderr=subprocess.PIPE) for journal in journals]
    try:
        for _ in range(2):
            wait_for_more(journals, children)
            server.restart(mode)
        wait_for_more(journals, children)
    finally:
        for child in children:
            child.kill()
            child.communicate()
    acknowledged = [record_id for journal in journals for record_id in journal.read_text().split()]
    with Registry.open(url) as registry:
        stored = [record.id for record in registry.records()]
        assert set(acknowledged) <= set(stored)
        assert len(stored) - len(acknowledged) <= len(children)  # at most one each was under way
        assert registry.verify_chain().records == len(stored)


def wait_for_more(journals: list[Path], children: list[subprocess.Popen[bytes]]) -> None:
    """Until every process has had another record acknowledged."""
    before = [journal.stat().st_size if journal.exists() else 0 for journal in journals]
    deadline = time.monotonic() + 60
    while not all(
        journal.exists() and journal.stat().st_size > size
        for journal, size in zip(journals, before, strict=True)
    ):
        for child in children:
            assert child.poll() is None, child.stderr.read().decode() if child.stderr else ""
        assert time.monotonic() < deadline, "nothing was acknowledged any more"
        time.sleep(0.02)


def test_reading_survives_a_restart_too(server: Server, url: str) -> None:
    (record,) = fill(url, 1)
    with Registry.open(url) as registry:
        assert registry.get(record.id) == record
        server.restart("immediate")
        assert registry.get(record.id) == record
        assert registry.find(record.feature, 1, MODEL)[0].record_id == record.id


def test_commits_are_durable_even_where_the_server_is_set_up_otherwise(server: Server, url: str) -> None:
    server.run("ALTER ROLE postgres SET synchronous_commit = off")
    try:
        database = PostgresDatabase.open(url, create=True, timeout=1)
        assert database.rows("SHOW synchronous_commit") == [("on",)]
        database.close()
    finally:
        server.run("ALTER ROLE postgres RESET synchronous_commit")


def test_people_with_their_own_keys_share_a_registry(url: str) -> None:
    other = OwnerKey.generate()
    with Registry.open(url) as mine, Registry.open(url) as theirs:
        first = mine.add(make_draft(1), KEY)
        second = theirs.add(make_draft(2), other)
        assert second.previous == first.hash
        assert mine.verify_chain().owners == (KEY.public, other.public)


def test_the_files_of_a_registry_on_a_server_lie_in_the_users_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", "/data")
    url = "postgresql://me:secret@db.example:5433/pictures?sslmode=require"
    assert key_path(url).name == "postgresql-db.example-5433-pictures.key"
    assert beside("postgresql:///p?host=/run/pg", ".list").name == "postgresql-_run_pg-p.list"
    assert key_path(Path("a/b.tiacam")) == Path("a/b.tiacam.key")
    assert public_name(url) == "postgresql://db.example:5433/pictures"
    assert os.fspath(key_path("postgres://h/d")).endswith("postgresql-h-d.key")
