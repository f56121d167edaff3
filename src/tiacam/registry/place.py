"""Where a registry is: a file, or a database server named by its URL; and where the files that go with it lie."""

from __future__ import annotations

import os
import re
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

URL_BEGINNINGS = ("postgresql://", "postgres://")


def is_url(place: str | os.PathLike[str]) -> bool:
    """Whether a registry's place is a database server rather than a file."""
    return isinstance(place, str) and place.startswith(URL_BEGINNINGS)


def parse_place(text: str) -> str | Path:
    """A place as a user writes it: a URL stays text, because a path would lose one of its slashes."""
    return text if is_url(text) else Path(text)


def beside(place: str | os.PathLike[str], suffix: str) -> Path:
    """The file that goes with a registry: next to its file, or in the user's data folder for one on a server."""
    if not is_url(place):
        return Path(f"{os.fspath(place)}{suffix}")
    import platformdirs

    return platformdirs.user_data_path("tiacam", appauthor=False) / f"{server_name(os.fspath(place))}{suffix}"


def key_path(place: str | os.PathLike[str]) -> Path:
    """Where the owner's key of a registry lives unless another place is named."""
    return beside(place, ".key")


def server_name(url: str) -> str:
    """A file's name for a registry on a server; user and password are no part of it."""
    parts = urlsplit(url)
    host = parts.hostname or parse_qs(parts.query).get("host", ["localhost"])[0]
    port = f"-{parts.port}" if parts.port else ""
    database = unquote(parts.path).strip("/") or "default"
    return re.sub(r"[^A-Za-z0-9.-]+", "_", f"postgresql-{host}{port}-{database}")
