"""What PostgreSQL reports, in the words of the registry."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from psycopg import errors

from tiacam.errors import (
    ConnectionLostError,
    DamagedRegistryError,
    RegistryError,
    RegistryUnavailableError,
)

UNAVAILABLE: dict[type[psycopg.Error], str] = {
    errors.DiskFull: "cannot be written: the server's disk is full",
    errors.InsufficientPrivilege: "does not allow that: this role must own the schema tiacam",
    errors.ReadOnlySqlTransaction: "cannot be written: the server is read-only",
    errors.LockNotAvailable: "is locked: another process kept it for too long; try again",
    errors.TooManyConnections: "has no connection left; try again",
    errors.OutOfMemory: "has run out of memory",
    errors.InvalidCatalogName: "cannot be opened: there is no such database; make it with createdb",
    errors.InvalidPassword: "cannot be opened: wrong password",
    errors.InvalidAuthorizationSpecification: "cannot be opened: this role may not",
}
# Undefined tables, columns and functions (somebody changed the schema by hand), and corrupted pages.
DAMAGED = ("42", "XX001", "XX002")


@contextmanager
def translated(name: str) -> Iterator[None]:
    """Raise what PostgreSQL raises inside as an error of the registry called `name`."""
    try:
        yield
    except psycopg.Error as error:
        raise explain(name, error) from error


def explain(name: str, error: psycopg.Error) -> RegistryError:
    text = " ".join(str(error).split())
    for kind, words in UNAVAILABLE.items():
        if isinstance(error, kind):
            return RegistryUnavailableError(f"the registry {name} {words} ({text})")
    if (error.sqlstate or "").startswith(DAMAGED):
        return DamagedRegistryError(f"the registry {name} is damaged ({text}): restore a backup")
    if is_lost(error):
        return ConnectionLostError(f"the registry {name} cannot be reached: is the server running? ({text})")
    return RegistryError(f"the registry {name} refused: {text}")


def is_lost(error: psycopg.Error) -> bool:
    """Whether the server went away, stopped or is only starting, so that a new connection may help."""
    if isinstance(error, errors.AdminShutdown | errors.CrashShutdown | errors.CannotConnectNow):
        return True
    return isinstance(error, psycopg.OperationalError) and error.sqlstate is None
