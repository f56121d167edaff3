"""Idempotency keys: a request that is sent twice is done once, and a key stands for one request alone.

The record itself makes a repetition harmless: salt and seed are derived from the key and the request, so the second
attempt is the same record and the registry refuses it. That holds after a crash and between services. This book answers
the other question: was the key used for something else?
"""

from __future__ import annotations

import sqlite3
import threading
import time
from pathlib import Path

from tiacam.errors import RegistryUnavailableError, RepeatedKeyError

KEPT_S = 30 * 24 * 3600.0
SCHEMA = """
CREATE TABLE IF NOT EXISTS repeated (
    caller TEXT NOT NULL, key TEXT NOT NULL, request TEXT NOT NULL, record TEXT, at REAL NOT NULL,
    PRIMARY KEY (caller, key)
) WITHOUT ROWID
"""


class KeyBook:
    """Which key stood for which request, and what came of it."""

    def __init__(self, path: Path) -> None:
        self._lock = threading.Lock()
        try:
            self._connection = sqlite3.connect(
                path, check_same_thread=False, isolation_level=None, timeout=30
            )
            self._connection.execute("PRAGMA journal_mode = WAL")
            self._connection.execute(SCHEMA)
            # Old keys are looked for at every registration: without an index, in all of them.
            self._connection.execute("CREATE INDEX IF NOT EXISTS repeated_at ON repeated (at)")
        except sqlite3.Error as error:
            raise RegistryUnavailableError(
                f"the service's own file {path} cannot be used: {error}"
            ) from error

    def begin(self, caller: str, key: str, request: str) -> str | None:
        """The record that this very request has led to, None if it has not yet; an error if it was another request."""
        now = time.time()
        with self._lock:
            self._connection.execute("DELETE FROM repeated WHERE at < ?", (now - KEPT_S,))
            self._connection.execute(
                "INSERT OR IGNORE INTO repeated VALUES (?, ?, ?, NULL, ?)", (caller, key, request, now)
            )
            known, record = self._connection.execute(
                "SELECT request, record FROM repeated WHERE caller = ? AND key = ?", (caller, key)
            ).fetchone()
        if known != request:
            raise RepeatedKeyError("this Idempotency-Key was used for another request: take a new one")
        return str(record) if record else None

    def finish(self, caller: str, key: str, record: str) -> None:
        with self._lock:
            self._connection.execute(
                "UPDATE repeated SET record = ? WHERE caller = ? AND key = ?", (record, caller, key)
            )

    def close(self) -> None:
        with self._lock:
            self._connection.close()
