"""The ledger's schema, as steps that are only ever appended: step n leads from version n to n + 1."""

from __future__ import annotations

import sqlite3

from tiacam.errors import DamagedRegistryError, SchemaError

APPLICATION_ID = 0x54494143  # "TIAC", in the header of the file

FIRST_VERSION = """
CREATE TABLE record (
    seq        INTEGER PRIMARY KEY AUTOINCREMENT,
    id         TEXT    NOT NULL UNIQUE,
    created_at TEXT    NOT NULL,
    model      TEXT    NOT NULL,
    mark       TEXT    NOT NULL,
    feature    BLOB    NOT NULL,
    bits       INTEGER NOT NULL,
    media_type TEXT,
    sha256     TEXT,
    note       TEXT    NOT NULL,
    owner      BLOB    NOT NULL,
    previous   BLOB    NOT NULL UNIQUE,
    signature  BLOB    NOT NULL
);
CREATE TRIGGER record_is_never_edited BEFORE UPDATE ON record
BEGIN SELECT raise(ABORT, 'the ledger only grows: a record is never edited'); END;
CREATE TRIGGER record_is_never_deleted BEFORE DELETE ON record
BEGIN SELECT raise(ABORT, 'the ledger only grows: a record is never deleted'); END;
CREATE TRIGGER record_is_appended BEFORE INSERT ON record
WHEN NEW.seq IS NOT (SELECT coalesce(max(seq), 0) + 1 FROM record)
    OR EXISTS (SELECT 1 FROM record WHERE id = NEW.id OR previous = NEW.previous)
BEGIN SELECT raise(ABORT, 'the ledger only grows: a record comes after the last one'); END;
"""

SEARCH_BY_MODEL = """
CREATE INDEX record_by_model ON record (model);
"""

LANDMARKS_AND_MANIFESTS = """
ALTER TABLE record ADD COLUMN landmarks BLOB NOT NULL DEFAULT x'';
ALTER TABLE record ADD COLUMN manifest_sha256 TEXT;
CREATE TABLE manifest (
    sha256 TEXT PRIMARY KEY,
    data   BLOB NOT NULL
) WITHOUT ROWID;
CREATE TRIGGER manifest_is_never_edited BEFORE UPDATE ON manifest
BEGIN SELECT raise(ABORT, 'the ledger only grows: a manifest is never edited'); END;
CREATE TRIGGER manifest_is_never_deleted BEFORE DELETE ON manifest
BEGIN SELECT raise(ABORT, 'the ledger only grows: a manifest is never deleted'); END;
"""

LOG = """
CREATE INDEX record_by_file ON record (sha256);
CREATE TABLE tree_head (
    seq  INTEGER PRIMARY KEY,
    size INTEGER NOT NULL,
    body TEXT    NOT NULL
);
CREATE TRIGGER tree_head_is_never_edited BEFORE UPDATE ON tree_head
BEGIN SELECT raise(ABORT, 'the ledger only grows: a tree head is never edited'); END;
CREATE TRIGGER tree_head_is_never_deleted BEFORE DELETE ON tree_head
BEGIN SELECT raise(ABORT, 'the ledger only grows: a tree head is never deleted'); END;
CREATE TABLE key_event (
    seq  INTEGER PRIMARY KEY,
    body TEXT    NOT NULL
);
CREATE TRIGGER key_event_is_never_edited BEFORE UPDATE ON key_event
BEGIN SELECT raise(ABORT, 'the ledger only grows: a key event is never edited'); END;
CREATE TRIGGER key_event_is_never_deleted BEFORE DELETE ON key_event
BEGIN SELECT raise(ABORT, 'the ledger only grows: a key event is never deleted'); END;
"""

MIGRATIONS: tuple[str, ...] = (FIRST_VERSION, SEARCH_BY_MODEL, LANDMARKS_AND_MANIFESTS, LOG)
LATEST = len(MIGRATIONS)
# What an older ledger that cannot be written lacks for today's queries; in SQLite, temporary names come first.
STAND_INS: dict[int, str] = {
    3: """
CREATE TEMP VIEW record AS SELECT *, x'' AS landmarks, NULL AS manifest_sha256 FROM main.record;
CREATE TEMP TABLE manifest (sha256 TEXT PRIMARY KEY, data BLOB NOT NULL);
""",
    4: """
CREATE TEMP TABLE tree_head (seq INTEGER PRIMARY KEY, size INTEGER NOT NULL, body TEXT NOT NULL);
CREATE TEMP TABLE key_event (seq INTEGER PRIMARY KEY, body TEXT NOT NULL);
""",
}


def is_empty(connection: sqlite3.Connection) -> bool:
    """Whether nobody has written to the database yet."""
    (objects,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    return objects == 0 and pragma(connection, "application_id") == 0


def version_of(connection: sqlite3.Connection, name: str) -> int:
    """The schema version of a registry; anything else and anything newer is refused."""
    if pragma(connection, "application_id") != APPLICATION_ID:
        raise DamagedRegistryError(f"{name} is an SQLite database, but not a registry of TIACam")
    version = pragma(connection, "user_version")
    if version > LATEST:
        raise SchemaError(
            f"{name} has schema version {version}, this TIACam knows versions up to {LATEST}: upgrade tiacam"
        )
    return version


def migrate(connection: sqlite3.Connection, name: str, *, target: int = LATEST) -> None:
    """Bring the schema up to date inside the caller's transaction; another process may have been first."""
    version = 0 if is_empty(connection) else version_of(connection, name)
    for number in range(version, target):
        for statement in split(MIGRATIONS[number]):
            connection.execute(statement)
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version = {max(version, target)}")


def stand_in(connection: sqlite3.Connection, name: str) -> None:
    """Let today's queries read a ledger that cannot be migrated because it cannot be written."""
    version = version_of(connection, name)
    for number, script in STAND_INS.items():
        if version < number:
            connection.executescript(script)


def split(script: str) -> list[str]:
    """The statements of a script; `executescript` would commit the transaction that a migration needs."""
    statements, pending = [], ""
    for line in script.strip().splitlines():
        pending += line + "\n"
        if sqlite3.complete_statement(pending):
            statements.append(pending)
            pending = ""
    return statements


def pragma(connection: sqlite3.Connection, name: str) -> int:
    (value,) = connection.execute(f"PRAGMA {name}").fetchone()
    return int(value)
