"""Small real things that the registry's tests share: a key, marks, drafts and a filled ledger."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np

from tiacam.registry import Draft, OwnerKey, Record, Registry
from tiacam.watermark.mark import Mark

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


def fill(path: Path, count: int) -> list[Record]:
    """A closed ledger at `path` with `count` records in it."""
    with Registry.open(path) as registry:
        return registry.add_many([make_draft(number, note=str(number)) for number in range(count)], KEY)


def edit(path: Path, *statements: str) -> None:
    """What somebody with the file and SQLite's own tools can do: drop the triggers, then anything."""
    with closing(sqlite3.connect(path)) as connection:
        for (trigger,) in connection.execute(
            "SELECT name FROM sqlite_master WHERE type = 'trigger'"
        ).fetchall():
            connection.execute(f"DROP TRIGGER {trigger}")
        for statement in statements:
            connection.execute(statement)
        connection.commit()
