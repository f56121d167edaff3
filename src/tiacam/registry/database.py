"""One SQLite file opened safely: durable commits, many processes, reading where nothing can be written."""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, nullcontext, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

from tiacam.errors import DamagedRegistryError, RegistryUnavailableError
from tiacam.registry.faults import primary_code, translated
from tiacam.registry.migrations import LATEST, is_empty, migrate, stand_in, version_of
from tiacam.workers import interrupts_held

# About 5 MB of write-ahead log at 2 KB a record and a few index pages each.
ROWS_BETWEEN_CHECKPOINTS = 256
CHECKPOINT_PATIENCE_S = 1.0
T = TypeVar("T")
UNWRITABLE = {sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM}


class Database:
    """One connection for all threads; when a `transaction` is left, its rows are durable."""

    def __init__(self, path: Path, connection: sqlite3.Connection, timeout: float) -> None:
        self.path = path
        self._connection: sqlite3.Connection | None = connection
        self._timeout = timeout
        self._lock = threading.RLock()
        self._uncheckpointed = 0

    @classmethod
    def open(cls, path: Path, *, create: bool, timeout: float) -> Database:
        if create:
            make_folder(path)
        elif not os.access(path, os.F_OK):
            raise RegistryUnavailableError(f"there is no registry at {path}")
        fresh = create and not path.exists()
        with (
            translated(path),
            interrupts_held() if fresh else nullcontext(),
        ):  # or an empty file would be left
            try:
                return cls(path, open_writable(path, create=create, timeout=timeout), timeout)
            except sqlite3.OperationalError as error:
                if primary_code(error) not in UNWRITABLE or not path.is_file():
                    raise
                return cls(path, open_immutable(path), timeout)

    @property
    def name(self) -> str:
        return str(self.path)

    @property
    def connection(self) -> sqlite3.Connection:
        if self._connection is None:
            raise RegistryUnavailableError(f"the registry {self.path} was closed")
        return self._connection

    def rows(self, query: str, *values: Any) -> list[Any]:
        with self._lock, translated(self.path):
            return self.connection.execute(query, values).fetchall()

    def execute(self, query: str, *values: Any) -> None:
        self.connection.execute(query, values)

    def adapt(self, row: tuple[Any, ...]) -> tuple[Any, ...]:
        return row

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Hold the write lock of the file; on leaving, everything inside is on disk, or nothing is."""
        with self._lock, translated(self.path):
            before = self.connection.total_changes
            with immediate(self.connection):
                yield
            self._uncheckpointed += self.connection.total_changes - before
            if self._uncheckpointed >= ROWS_BETWEEN_CHECKPOINTS:
                self._checkpoint()

    def attempt(self, work: Callable[[bool], T]) -> T:
        return work(False)

    def prepare_model(self, model: str, width: int) -> None:
        """Nothing to do: the search keeps its vectors outside the file."""

    def clock(self) -> datetime:
        return datetime.now(UTC)

    def ever_stored(self) -> int:
        rows = self.rows("SELECT seq FROM sqlite_sequence WHERE name = 'record'")
        return int(rows[0][0]) if rows else 0

    def problem(self) -> str | None:
        found = str(self.rows("PRAGMA integrity_check(1)")[0][0])
        return None if found == "ok" else found

    def reader(self) -> sqlite3.Connection:
        """A second connection to the same file, for whoever reads for long."""
        return connect(self.path, "mode=rw", self._timeout)

    def close(self) -> None:
        with self._lock, translated(self.path):
            if self._connection is None:
                return
            if self._uncheckpointed:
                self._checkpoint()
            self._connection.close()
            self._connection = None

    def _checkpoint(self) -> None:
        """Move the write-ahead log into the main file while nobody can commit.

        SQLite before 3.51.3 can lose committed pages when a commit restarts the log during a checkpoint
        (its "WAL-reset bug"). So its automatic checkpoints are off, and one connection holds the write lock
        while a second one copies.
        """
        self._uncheckpointed = 0
        # The rows are durable in the log already: a checkpoint that cannot run now is made up for later.
        with (
            suppress(sqlite3.Error),
            patience(self.connection, CHECKPOINT_PATIENCE_S, self._timeout),
            immediate(self.connection),
            closing(connect(self.path, "mode=rw", 0)) as copier,
        ):
            copier.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()


@contextmanager
def patience(connection: sqlite3.Connection, now: float, afterwards: float) -> Iterator[None]:
    """Wait at most `now` seconds for a lock inside, `afterwards` seconds again from then on."""
    connection.execute(f"PRAGMA busy_timeout = {int(now * 1000)}")
    try:
        yield
    finally:
        connection.execute(f"PRAGMA busy_timeout = {int(afterwards * 1000)}")


@contextmanager
def immediate(connection: sqlite3.Connection) -> Iterator[None]:
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        # A full disk has rolled back already, and the first error is the one to tell.
        if connection.in_transaction:
            with suppress(sqlite3.Error):
                connection.execute("ROLLBACK")
        raise


def make_folder(path: Path) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise RegistryUnavailableError(
            f"the folder of the registry {path} cannot be made: {error.strerror}"
        ) from error


def connect(path: Path, options: str, timeout: float) -> sqlite3.Connection:
    connection = sqlite3.connect(
        f"{path.resolve().as_uri()}?{options}",
        uri=True,
        timeout=timeout,
        isolation_level=None,
        check_same_thread=False,
    )
    with closed_on_error(connection):
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA wal_autocheckpoint = 0")
    return connection


@contextmanager
def closed_on_error(connection: sqlite3.Connection) -> Iterator[None]:
    try:
        yield
    except BaseException:
        connection.close()
        raise


def open_writable(path: Path, *, create: bool, timeout: float) -> sqlite3.Connection:
    connection = connect(path, "mode=rwc" if create else "mode=rw", timeout)
    with closed_on_error(connection):
        prepare(connection, path, create=create, timeout=timeout)
    return connection


def prepare(connection: sqlite3.Connection, path: Path, *, create: bool, timeout: float) -> None:
    """Make a new file a registry and an old one a current one; a foreign database is left as it is."""
    empty = is_empty(connection)
    if empty and not create:
        raise DamagedRegistryError(f"{path} is empty: no registry")
    version = 0 if empty else version_of(connection, str(path))
    try:
        use_write_ahead_log(connection, timeout)
        if version < LATEST:
            with immediate(connection):
                migrate(connection, str(path))
    except sqlite3.OperationalError as error:
        if primary_code(error) not in UNWRITABLE or version == 0:
            raise
        stand_in(connection, str(path))


def use_write_ahead_log(connection: sqlite3.Connection, timeout: float) -> None:
    # SQLite does not wait by itself when another process switches the same new file at this moment.
    deadline = time.monotonic() + timeout
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL").fetchone()
            return
        except sqlite3.OperationalError as error:
            if primary_code(error) != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
            time.sleep(0.01)


def open_immutable(path: Path) -> sqlite3.Connection:
    """Read a registry in a folder where SQLite cannot even put its lock file, such as a read-only drive.

    Nothing may write to the file meanwhile; records added to it by others are not seen.
    """
    for suffix in ("-wal", "-journal"):
        rest = path.with_name(path.name + suffix)
        if rest.exists() and rest.stat().st_size:
            raise RegistryUnavailableError(
                f"the registry {path} cannot be read where it is: {rest.name} holds records that must be "
                "merged first; copy both files to a folder that can be written"
            )
    connection = connect(path, "mode=ro&immutable=1", timeout=0)
    with closed_on_error(connection):
        stand_in(connection, str(path))
    return connection
