"""What SQLite reports, in the words of the registry: the one place where database errors are translated."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tiacam.errors import DamagedRegistryError, RegistryError, RegistryUnavailableError

UNAVAILABLE = {
    sqlite3.SQLITE_READONLY: "cannot be written: it or its folder is read-only",
    sqlite3.SQLITE_CANTOPEN: "cannot be opened: its folder is missing or read-only, or it is no file",
    sqlite3.SQLITE_PERM: "cannot be opened: permission denied",
    sqlite3.SQLITE_FULL: "cannot be written: the disk is full",
    sqlite3.SQLITE_IOERR: "cannot be written or read: the disk is full, over quota or failing",
    sqlite3.SQLITE_BUSY: "is locked: another process kept it for too long; try again",
    sqlite3.SQLITE_LOCKED: "is locked: another process kept it for too long; try again",
    sqlite3.SQLITE_PROTOCOL: "cannot be locked: is it on a network drive?",
    sqlite3.SQLITE_NOMEM: "does not fit into memory",
}
# Undecodable text comes without a code, a missing table with the general one.
DAMAGED = {None, sqlite3.SQLITE_ERROR, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_FORMAT}


@contextmanager
def translated(path: Path) -> Iterator[None]:
    """Raise what SQLite raises inside as an error of the registry at `path`."""
    try:
        yield
    except sqlite3.Error as error:
        raise explain(path, error) from error


def explain(path: Path, error: sqlite3.Error) -> RegistryError:
    code = primary_code(error)
    if code in UNAVAILABLE:
        return RegistryUnavailableError(f"the registry {path} {UNAVAILABLE[code]} ({error})")
    if code == sqlite3.SQLITE_NOTADB:
        return DamagedRegistryError(f"{path} is no registry: it is not an SQLite database")
    if code in DAMAGED:
        return DamagedRegistryError(
            f"the registry {path} is damaged ({error}): restore a backup or import an export into a new one"
        )
    return RegistryError(f"the registry {path} refused: {error}")


def primary_code(error: sqlite3.Error) -> int | None:
    """The kind of error without SQLite's finer distinctions, which sit in the upper bits."""
    code: int | None = getattr(error, "sqlite_errorcode", None)
    return None if code is None else code & 0xFF
