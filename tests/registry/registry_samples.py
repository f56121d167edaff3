"""Small real things that the registry's tests share: a key, marks, drafts and a filled ledger."""

from __future__ import annotations

import os
import re
import sqlite3
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import psycopg

from tiacam.registry import Draft, OwnerKey, Record, Registry
from tiacam.watermark.mark import Mark

Place = str | Path
KEY = OwnerKey(bytes(range(32)))
MODEL = "tiny-1"
WIDTH = 16


def make_mark(salt: bytes | None = None) -> Mark:
    return Mark(
        "keyed-1", {"directions": 512, "scale": 0.5}, os.urandom(16) if salt is None else salt, b"helper"
    )


def make_draft(seed: int | None = None, **changes: Any) -> Draft:
    feature = np.random.default_rng(seed).standard_normal(WIDTH)
    values: dict[str, Any] = {"model": MODEL, "mark": make_mark(), "feature": feature, "bits": 100}
    return Draft(**(values | changes))


def fill(place: Place, count: int) -> list[Record]:
    """A closed ledger at `place` with `count` records in it."""
    with Registry.open(place) as registry:
        return registry.add_many([make_draft(number, note=str(number)) for number in range(count)], KEY)


def edit(place: Place, *statements: str) -> None:
    """What somebody with the database and its own tools can do: drop the triggers, then anything."""
    if isinstance(place, Path):
        edit_file(place, statements)
    else:
        edit_server(place, statements)


def edit_file(path: Path, statements: Iterable[str]) -> None:
    with closing(sqlite3.connect(path)) as connection:
        for (trigger,) in connection.execute(
            "SELECT name FROM sqlite_master WHERE type = 'trigger'"
        ).fetchall():
            connection.execute(f"DROP TRIGGER {trigger}")
        for statement in statements:
            connection.execute(statement)
        connection.commit()


def edit_server(url: str, statements: Iterable[str]) -> None:
    with psycopg.connect(url) as connection:
        connection.execute("SET search_path = tiacam, public")
        for table in ("record", "manifest", "tree_head", "key_event"):
            connection.execute(f"ALTER TABLE {table} DISABLE TRIGGER USER".encode())
        drop_vector_indexes(connection)
        for statement in statements:
            connection.execute(in_postgres(statement).encode())


def drop_vector_indexes(connection: psycopg.Connection) -> None:
    names = connection.execute("SELECT indexname FROM pg_indexes WHERE indexdef LIKE '%hnsw%'").fetchall()
    for (name,) in names:
        connection.execute(f"DROP INDEX {name}".encode())


def in_postgres(statement: str) -> str:
    """The same act in the words of PostgreSQL."""
    for pattern, words in WORDS.items():
        statement = re.sub(pattern, words, statement)
    return statement


WORDS = {
    r"feature = x'003c' \|\| substr\(feature, 3\)": "feature = (feature::real[] || 1::real)[2:]::halfvec",
    r"feature = x'00'": "feature = '[1]'",
    r"feature = 'text'": "feature = '[1,2]'",
    r"\bx'([0-9a-f]*)'": r"'\\x\1'::bytea",
    r"zeroblob\((\d+)\)": r"decode(repeat('00', \1), 'hex')",
    r"randomblob\(32\)": "sha256('random')",
    r"substr\(hex\(previous\), 1, 32\)": "substr(previous, 1, 16)",
    r"cast\(.* AS TEXT\)": "'edited'",
    r"UPDATE sqlite_sequence SET seq = ": "UPDATE ledger SET ever_stored = ",
    r"landmarks = 5": "landmarks = '5'",
}
