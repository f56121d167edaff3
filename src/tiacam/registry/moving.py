"""Moving a registry while it is in use: backups, restoring them, another database, a newer schema."""

from __future__ import annotations

import secrets
import sqlite3
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path

from tiacam.errors import DamagedRegistryError, DataError
from tiacam.registry.chain import ChainReport
from tiacam.registry.database import Database
from tiacam.registry.exchange import ImportReport
from tiacam.registry.faults import translated
from tiacam.registry.ledger import Registry
from tiacam.registry.migrations import LATEST
from tiacam.registry.place import is_url

PAGES_AT_ONCE = 2048  # copied while nobody can write: 8 MB


@dataclass(frozen=True)
class MoveReport:
    """What a copy took over, and the audit of what is there now."""

    moved: ImportReport
    audit: ChainReport


def back_up(registry: Registry, path: Path) -> ChainReport:
    """Write all that a registry holds at this moment into a new registry file, and audit that file.

    Others may go on registering meanwhile. The file appears whole or not at all, and never replaces another.
    """
    if path.exists():
        raise DataError(f"{path} exists already, and a backup never replaces a file")
    aside = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    try:
        copy_into_file(registry, aside)
        with Registry.open(aside, create=False) as copy:
            report = copy.verify_chain()
        aside.rename(path)
    except OSError as error:
        raise DataError(f"the backup {path} cannot be written: {error.strerror}") from error
    finally:
        for suffix in ("", "-wal", "-shm"):
            with suppress(OSError):
                aside.with_name(aside.name + suffix).unlink()
    return report


def copy_into_file(registry: Registry, path: Path) -> None:
    store = registry.store
    if not isinstance(store, Database):
        with Registry.open(path) as copy:
            copy.merge(registry.lines())
        return
    # SQLite's own copying starts over when another process writes in between, so it is done from one snapshot.
    with translated(path), closing(sqlite3.connect(path)) as target, closing(store.reader()) as source:
        source.execute("BEGIN")
        source.execute("SELECT count(*) FROM sqlite_master").fetchone()
        source.backup(target, pages=PAGES_AT_ONCE)


def move(source: Registry, target: Registry) -> MoveReport:
    """Copy a registry into another that is empty or holds its beginning; then audit the target."""
    moved = target.merge(source.lines())
    audit = target.verify_chain()
    if audit.records < moved.added + moved.present:
        raise DamagedRegistryError(f"{target.name} holds {audit.records} records, {moved.added} were moved")
    return MoveReport(moved, audit)


def update_schema(place: str | Path) -> int:
    """Bring a registry's schema up to date; returns its version."""
    if is_url(place):
        from tiacam.registry.postgres.database import update_schema as update_server

        return update_server(str(place))
    Registry.open(place, create=False).close()
    return LATEST
