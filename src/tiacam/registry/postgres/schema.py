"""The ledger's schema in PostgreSQL. Versions have the numbers of the SQLite schema that they equal.

A registry lives in a schema of its own, `tiacam`, with a single row in `ledger` that holds the version, how many
records there have ever been, and, locked, the right to append.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tiacam.errors import DamagedRegistryError, RegistryUnavailableError, SchemaError

if TYPE_CHECKING:
    from psycopg import Connection

OLDEST_SERVER = 150000
OLDEST_PGVECTOR = (0, 7)

FIRST_VERSION = """
CREATE TABLE tiacam.ledger (
    version     integer NOT NULL,
    ever_stored bigint  NOT NULL,
    single      boolean PRIMARY KEY DEFAULT true CHECK (single)
);
INSERT INTO tiacam.ledger VALUES (4, 0);
CREATE TABLE tiacam.record (
    seq             bigint  PRIMARY KEY,
    id              text    COLLATE "C" NOT NULL UNIQUE,
    created_at      text    NOT NULL,
    model           text    NOT NULL,
    mark            text    NOT NULL,
    feature         halfvec NOT NULL,
    bits            integer NOT NULL,
    media_type      text,
    sha256          text,
    note            text    NOT NULL,
    owner           bytea   NOT NULL,
    previous        bytea   NOT NULL UNIQUE,
    signature       bytea   NOT NULL,
    landmarks       bytea   NOT NULL,
    manifest_sha256 text
);
CREATE INDEX record_by_model ON tiacam.record (model);
CREATE INDEX record_by_file ON tiacam.record (sha256);
CREATE TABLE tiacam.manifest (sha256 text PRIMARY KEY, data bytea NOT NULL);
CREATE TABLE tiacam.tree_head (seq bigint PRIMARY KEY, size bigint NOT NULL, body text NOT NULL);
CREATE TABLE tiacam.key_event (seq bigint PRIMARY KEY, body text NOT NULL);

CREATE FUNCTION tiacam.refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'the ledger only grows: a % is never edited or deleted', replace(TG_TABLE_NAME, '_', ' ')
        USING ERRCODE = 'integrity_constraint_violation';
END $$;
CREATE TRIGGER never_edited BEFORE UPDATE OR DELETE OR TRUNCATE ON tiacam.record
    FOR EACH STATEMENT EXECUTE FUNCTION tiacam.refuse();
CREATE TRIGGER never_edited BEFORE UPDATE OR DELETE OR TRUNCATE ON tiacam.manifest
    FOR EACH STATEMENT EXECUTE FUNCTION tiacam.refuse();
CREATE TRIGGER never_edited BEFORE UPDATE OR DELETE OR TRUNCATE ON tiacam.tree_head
    FOR EACH STATEMENT EXECUTE FUNCTION tiacam.refuse();
CREATE TRIGGER never_edited BEFORE UPDATE OR DELETE OR TRUNCATE ON tiacam.key_event
    FOR EACH STATEMENT EXECUTE FUNCTION tiacam.refuse();

CREATE FUNCTION tiacam.append() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE tiacam.ledger SET ever_stored = NEW.seq
        WHERE NEW.seq = (SELECT coalesce(max(seq), 0) + 1 FROM tiacam.record)
            AND NOT EXISTS (SELECT FROM tiacam.record WHERE id = NEW.id OR previous = NEW.previous);
    IF NOT FOUND THEN
        RAISE EXCEPTION 'the ledger only grows: a record comes after the last one'
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER appended BEFORE INSERT ON tiacam.record FOR EACH ROW EXECUTE FUNCTION tiacam.append();
"""

# version → the step that leads to it; only ever appended
MIGRATIONS: dict[int, str] = {4: FIRST_VERSION}
LATEST = max(MIGRATIONS)
# Any constant will do: it keeps two processes from making the same registry at once.
MAKING = 0x5449414343414D


def check_server(server: int, pgvector: str | None, name: str) -> None:
    """Refuse a server that is too old, with what is there and what is wanted; `server` is like 180004."""
    if server < OLDEST_SERVER:
        raise RegistryUnavailableError(
            f"{name} is PostgreSQL {server // 10000}.{server % 10000}, wanted 15 or newer"
        )
    if pgvector is None:
        raise RegistryUnavailableError(
            f"{name} has no pgvector: install it on the server (0.7 or newer), then CREATE EXTENSION vector"
        )
    if tuple(int(part) for part in pgvector.split(".")[:2]) < OLDEST_PGVECTOR:
        raise RegistryUnavailableError(
            f"{name} has pgvector {pgvector}, wanted 0.7 or newer: install it, then ALTER EXTENSION vector UPDATE"
        )


def prepare(connection: Connection, name: str, *, create: bool) -> None:
    """Make an empty database a registry; an outdated one is left to `tiacam migrate`."""
    version = version_of(connection)
    if version is None and not create:
        raise RegistryUnavailableError(f"there is no registry in {name}")
    if version is None:
        with connection.transaction():
            connection.execute("SELECT pg_advisory_xact_lock(%s)", (MAKING,))
            make_extension(connection)
            check_installation(connection, name)
            if version_of(connection) is None:
                migrate(connection)
    check_installation(connection, name)
    check_version(version_of(connection), name)


def check_version(version: int | None, name: str) -> None:
    if version is None:
        raise DamagedRegistryError(f"{name} has a schema tiacam that is no registry")
    if version > LATEST:
        raise SchemaError(
            f"{name} has schema version {version}, this TIACam knows versions up to {LATEST}: upgrade tiacam"
        )
    if version < LATEST:
        raise SchemaError(
            f"{name} has schema version {version}, wanted {LATEST}: stop what uses it, back it up, and run "
            "`tiacam migrate`"
        )


def check_installation(connection: Connection, name: str) -> None:
    installed = connection.execute("SELECT extversion FROM pg_extension WHERE extname = 'vector'").fetchone()
    check_server(connection.info.server_version, installed[0] if installed else None, name)
    (encoding,) = connection.execute("SHOW server_encoding").fetchone() or ("",)
    if encoding != "UTF8":
        raise RegistryUnavailableError(f"{name} has the encoding {encoding}, wanted UTF8")


def make_extension(connection: Connection) -> None:
    """Install pgvector into the database where the server has it; whatever is missing is said afterwards."""
    available = connection.execute(
        "SELECT installed_version FROM pg_available_extensions WHERE name = 'vector'"
    ).fetchone()
    if available and available[0] is None:
        connection.execute("CREATE EXTENSION IF NOT EXISTS vector")


def version_of(connection: Connection) -> int | None:
    """The schema version of the registry in a database, None where there is none."""
    (there,) = connection.execute("SELECT to_regclass('tiacam.ledger') IS NOT NULL").fetchone() or (False,)
    if not there:
        return None
    row = connection.execute("SELECT version FROM tiacam.ledger").fetchone()
    return int(row[0]) if row else 0


def migrate(connection: Connection, steps: dict[int, str] = MIGRATIONS) -> int:
    """Bring the schema up to date inside the caller's transaction; returns the version that it has then."""
    version = version_of(connection) or 0
    if version == 0:
        connection.execute("CREATE SCHEMA IF NOT EXISTS tiacam")
    for number, script in steps.items():
        if number > version:
            connection.execute(script.encode())
            connection.execute("UPDATE tiacam.ledger SET version = %s", (number,))
            version = number
    return version
