"""Where the registry's tests put a registry: in a file and on a server, each test with both."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from registry_server import Server, running_server


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    with running_server() as server:
        yield server


@pytest.fixture
def url(server: Server) -> Iterator[str]:
    """The URL of an empty database."""
    with server.database() as url:
        yield url


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str | Path:
    """A place for one registry, as a path and as a URL."""
    if request.param == "sqlite":
        return tmp_path / "a folder?" / "registry #1.sqlite"
    return str(request.getfixturevalue("url"))
