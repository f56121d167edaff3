"""API tokens: who may do what. The file holds their digests; a token itself is shown once, when it is made."""

from __future__ import annotations

import hashlib
import json
import os
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Any

from tiacam.errors import UsageError
from tiacam.service.logs import LOG

FORMAT = "tiacam-tokens-1"
PREFIX = "tia_"
TOKEN_BYTES = 24
LONGEST_NAME = 100


class Scope(StrEnum):
    """What a token allows. They do not contain one another: a token lists all that it allows."""

    READ = "read"  # read photos, verify, look up records, proofs and manifests
    REGISTER = "register"  # add records
    ADMIN = "admin"  # metrics and whole records, features included


@dataclass(frozen=True)
class Token:
    """A token as it is kept: everything but the token."""

    name: str
    scopes: frozenset[Scope]
    sha256: str
    created_at: str

    def to_json(self) -> dict[str, Any]:
        scopes = sorted(scope.value for scope in self.scopes)
        return {"name": self.name, "scopes": scopes, "sha256": self.sha256, "created_at": self.created_at}

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> Token:
        scopes = frozenset(Scope(scope) for scope in value["scopes"])
        return cls(str(value["name"]), scopes, str(value["sha256"]), str(value["created_at"]))


@dataclass(frozen=True)
class Issued:
    """A new token with its secret text, which nobody can find out later."""

    token: Token
    text: str


def issue(name: str, scopes: Iterable[Scope]) -> Issued:
    text = PREFIX + secrets.token_urlsafe(TOKEN_BYTES)
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return Issued(Token(name, frozenset(scopes), digest(text), now), text)


def digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()


class TokenBook:
    """The tokens that a service knows, looked up by digest: no comparison depends on the secret.

    Those in a file are read again when it changes, so that a token can be taken away from a running service.
    """

    def __init__(self, tokens: Iterable[Token] = (), path: Path | None = None) -> None:
        self._own = {token.sha256: token for token in tokens}
        self._path = path
        self._kept: dict[str, Token] = {}
        self._read_at: int | None = None
        self._refresh()

    def find(self, text: str) -> Token | None:
        try:
            self._refresh()
        except UsageError as error:  # spoilt while we run: the callers must not learn of our files
            LOG.error("tokens", message=f"the tokens known so far stay: {error}")
        name = digest(text)
        return self._own.get(name) or self._kept.get(name)

    def __len__(self) -> int:
        return len(self._own | self._kept)

    def _refresh(self) -> None:
        if self._path is None:
            return
        changed = changed_at(self._path)
        if changed != self._read_at:
            self._read_at = changed
            self._kept = {token.sha256: token for token in read_tokens(self._path)}


def changed_at(path: Path) -> int | None:
    try:
        return path.stat().st_mtime_ns
    except FileNotFoundError:
        return None


def read_tokens(path: Path) -> list[Token]:
    """The tokens in a file; none where there is no file yet."""
    if not path.exists():
        return []
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
        if value["format"] != FORMAT:
            raise ValueError(f"its format is {value['format']!r}, wanted {FORMAT!r}")
        return [Token.from_json(entry) for entry in value["tokens"]]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UsageError(f"{path} is no token file: {error}") from error


def write_tokens(path: Path, tokens: Iterable[Token]) -> None:
    """Replace the file whole; readable by its owner alone."""
    content = {"format": FORMAT, "tokens": [token.to_json() for token in tokens]}
    aside = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    descriptor = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(json.dumps(content, indent=1) + "\n")
        file.flush()
        os.fsync(file.fileno())
    aside.replace(path)


def add_token(path: Path, name: str, scopes: Iterable[Scope]) -> Issued:
    """Make a token and keep its digest in the file; a name is given once."""
    if not (0 < len(name) <= LONGEST_NAME and name.isprintable()):
        raise UsageError(f"a token's name has 1 to {LONGEST_NAME} printable characters, got {name!r}")
    tokens = read_tokens(path)
    if any(token.name == name for token in tokens):
        raise UsageError(
            f"{path} has a token called {name!r} already: remove it first, or choose another name"
        )
    issued = issue(name, scopes)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_tokens(path, [*tokens, issued.token])
    return issued


def remove_token(path: Path, name: str) -> None:
    tokens = read_tokens(path)
    if all(token.name != name for token in tokens):
        raise UsageError(f"{path} has no token called {name!r}")
    write_tokens(path, [token for token in tokens if token.name != name])
