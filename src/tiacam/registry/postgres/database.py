"""The ledger in PostgreSQL: a few connections shared by all threads, renewed when the server was restarted."""

from __future__ import annotations

import hashlib
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from typing import Any, TypeVar

import psycopg
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict

from tiacam.errors import ConnectionLostError, RegistryUnavailableError
from tiacam.registry.postgres.faults import translated
from tiacam.registry.postgres.halfvec import Halfvec, register_halfvec
from tiacam.registry.postgres.schema import check_installation, migrate, prepare, version_of
from tiacam.registry.rows import COLUMNS

T = TypeVar("T")
CONNECTIONS = 8  # a process; more threads than that wait for each other
LONGEST_PAUSE_S = 0.5
FEATURE = COLUMNS.split(", ").index("feature")
INDEX_OPTIONS = "m = 24, ef_construction = 128"  # results/pgvector.json
WIDEST_INDEXED = 4000  # pgvector's limit for an HNSW index on halfvec


class PostgresDatabase:
    """A `Store` on a server; when a `transaction` is left, its rows are durable there."""

    def __init__(self, url: str, timeout: float) -> None:
        self.url = url
        self.name = public_name(url)
        self._timeout = timeout
        self._idle: list[psycopg.Connection] = []
        self._lock = threading.Lock()
        self._places = threading.BoundedSemaphore(CONNECTIONS)
        self._mine = threading.local()  # .connection: the one of this thread's transaction
        self._closed = False

    @classmethod
    def open(cls, url: str, *, create: bool, timeout: float) -> PostgresDatabase:
        database = cls(url, timeout)
        with translated(database.name), database._connect() as connection:
            prepare(connection, database.name, create=create)
        return database

    def rows(self, query: str, *values: Any) -> list[Any]:
        own = getattr(self._mine, "connection", None)
        if own is not None:
            with translated(self.name):
                return fetch(own, query, values)
        return self.attempt(lambda _: self._rows(query, values))

    def execute(self, query: str, *values: Any) -> None:
        with translated(self.name):
            self._mine.connection.execute(to_postgres(query), values)

    def adapt(self, row: tuple[Any, ...]) -> tuple[Any, ...]:
        return (*row[:FEATURE], Halfvec(row[FEATURE]), *row[FEATURE + 1 :])

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Hold the right to append; on leaving, everything inside is durable on the server, or nothing is."""
        with self._connection() as connection, translated(self.name), connection.transaction():
            connection.execute("SELECT FROM tiacam.ledger FOR UPDATE")
            self._mine.connection = connection
            try:
                yield
            finally:
                self._mine.connection = None

    def attempt(self, work: Callable[[bool], T]) -> T:
        deadline, pause, again = time.monotonic() + self._timeout, 0.02, False
        while True:
            try:
                return work(again)
            except ConnectionLostError:
                self._drop_idle()
                if self._closed or time.monotonic() + pause > deadline:
                    raise
                again = True
                time.sleep(pause)
                pause = min(2 * pause, LONGEST_PAUSE_S)

    def prepare_model(self, model: str, width: int) -> None:
        """An index over this model's features alone: widths differ, and features of two models never compare."""
        with translated(self.name):
            make_index(self._mine.connection, model, width)

    def clock(self) -> datetime:
        """The server's clock: the machines that register may differ, and one of them may be far off."""
        time: datetime = self.rows("SELECT clock_timestamp()")[0][0]
        return time.astimezone(UTC)

    def ever_stored(self) -> int:
        return int(self.rows("SELECT ever_stored FROM ledger")[0][0])

    def problem(self) -> str | None:
        """PostgreSQL checks its pages when it reads them; a walk of the chain reads them all."""
        return None

    @contextmanager
    def settings(self, **values: int | str) -> Iterator[Callable[[str, tuple[Any, ...]], list[Any]]]:
        """A reading transaction with some of the server's settings changed inside it alone."""
        with self._connection() as connection, translated(self.name), connection.transaction():
            for name, value in values.items():
                connection.execute("SELECT set_config(%s, %s, true)", (name.replace("__", "."), str(value)))
            yield lambda query, given: fetch(connection, query, given)

    def close(self) -> None:
        self._closed = True
        self._drop_idle()

    def _rows(self, query: str, values: tuple[Any, ...]) -> list[Any]:
        with self._connection() as connection, translated(self.name):
            return fetch(connection, query, values)

    @contextmanager
    def _connection(self) -> Iterator[psycopg.Connection]:
        if self._closed:
            raise RegistryUnavailableError(f"the registry {self.name} was closed")
        with self._places:
            with self._lock:
                connection = self._idle.pop() if self._idle else None
            if connection is None:
                with translated(self.name):
                    connection = self._connect()
            try:
                yield connection
            finally:
                self._give_back(connection)

    def _give_back(self, connection: psycopg.Connection) -> None:
        with self._lock:
            if not (connection.closed or connection.broken or self._closed):
                self._idle.append(connection)
                return
        connection.close()

    def _drop_idle(self) -> None:
        with self._lock:
            idle, self._idle = self._idle, []
        for connection in idle:
            with suppress(psycopg.Error):
                connection.close()

    def _connect(self) -> psycopg.Connection:
        connection = psycopg.connect(self.url, autocommit=True, connect_timeout=max(2, int(self._timeout)))
        try:
            connection.execute(
                "SELECT set_config('search_path', 'tiacam, ' || current_setting('search_path'), false),"
                " set_config('lock_timeout', %s, false), set_config('client_encoding', 'UTF8', false)",
                (f"{max(1, int(self._timeout * 1000))}ms",),
            )
            # A server may be set up to acknowledge what is not on disk yet; a ledger may not.
            connection.execute(
                "SELECT set_config('synchronous_commit', 'on', false)"
                " WHERE current_setting('synchronous_commit') = 'off'"
            )
            register_halfvec(connection)
        except BaseException:
            connection.close()
            raise
        return connection


def update_schema(url: str) -> int:
    """Bring the schema of a registry on a server up to date, its indexes included; returns its version."""
    database = PostgresDatabase(url, timeout=30)
    with translated(database.name), database._connect() as connection, connection.transaction():
        if version_of(connection) is None:
            raise RegistryUnavailableError(f"there is no registry in {database.name}")
        check_installation(connection, database.name)
        version = migrate(connection)
        models = "SELECT model, max(vector_dims(feature)) FROM tiacam.record GROUP BY model"
        for model, width in connection.execute(models).fetchall():
            make_index(connection, model, width)
        return version


def make_index(connection: psycopg.Connection, model: str, width: int) -> None:
    """The index of one model's features, unless it is there."""
    if width > WIDEST_INDEXED:
        return  # searched row by row
    name = f"record_near_{hashlib.sha256(model.encode()).hexdigest()[:16]}"
    statement = sql.SQL(
        "CREATE INDEX IF NOT EXISTS {} ON tiacam.record"
        f" USING hnsw ((feature::halfvec({{}})) halfvec_cosine_ops) WITH ({INDEX_OPTIONS}) WHERE model = {{}}"
    ).format(sql.Identifier(name), sql.Literal(width), sql.Literal(model))
    connection.execute(statement)


def fetch(connection: psycopg.Connection, query: str, values: tuple[Any, ...]) -> list[Any]:
    return connection.execute(to_postgres(query), values, binary=True).fetchall()


def to_postgres(query: str) -> bytes:
    """A query of the ledger with this database's placeholders."""
    return query.replace("?", "%s").encode()


def public_name(url: str) -> str:
    """The URL as errors may show it: without its password."""
    try:
        parts = conninfo_to_dict(url)
    except psycopg.Error as error:
        raise RegistryUnavailableError(f"this is no PostgreSQL URL: {' '.join(str(error).split())}") from None
    host = parts.get("host") or parts.get("hostaddr") or "localhost"
    port = f":{parts['port']}" if "port" in parts else ""
    return f"postgresql://{host}{port}/{parts.get('dbname') or parts.get('user') or ''}"


__all__ = ["Halfvec", "PostgresDatabase", "public_name"]
