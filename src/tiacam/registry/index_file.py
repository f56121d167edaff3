"""An index on disk: a data file, and beside it what it was made from, checked before every use.

A data file is never changed. A newer one gets a name of its own, and the description is replaced in one step, so that
any number of processes may read while one of them writes.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import secrets
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from tiacam.registry.following import Coverage
from tiacam.registry.index import Hits, Numbers

FORMAT = "tiacam-index-1"


class Engine(Protocol):
    """An approximate index that can be written to a file and mapped from it."""

    kind: str
    settings: str  # a file made with other settings is of no use

    def __init__(self, width: int) -> None: ...

    @classmethod
    def open(cls, path: Path, width: int, records: int) -> Self: ...

    def __len__(self) -> int: ...

    def copy(self) -> Engine: ...

    def add(self, numbers: Numbers, features: NDArray[np.generic]) -> None: ...

    def save(self, path: Path) -> None: ...

    def search(self, queries: NDArray[np.float32], count: int) -> list[Hits]: ...


class StaleIndexError(Exception):
    """The file cannot be used, and why; it is made again, so nobody outside this package sees this."""


@dataclass(frozen=True)
class Description:
    """What a data file holds: the model, how it was made, the records that it covers, and its checksum."""

    model: str
    width: int
    kind: str
    settings: str
    coverage: Coverage
    file: str
    sha256: str

    def to_json(self) -> dict[str, Any]:
        return {"format": FORMAT, **asdict(self)}

    @classmethod
    def from_json(cls, value: Any) -> Description:
        if not isinstance(value, dict) or value.pop("format", None) != FORMAT:
            raise StaleIndexError("its description is of another format")
        try:
            return cls(**{**value, "coverage": Coverage(**value["coverage"])})
        except (KeyError, TypeError) as error:
            raise StaleIndexError(f"its description is damaged: {error}") from error


class IndexFolder:
    """Where the index files of one registry lie; one model's files begin with its name."""

    def __init__(self, folder: Path, model: str, kind: str) -> None:
        self.folder = folder
        # The name of a model may hold anything; what is left of it is made unique again by the hash.
        plain = re.sub(r"[^A-Za-z0-9.@-]", "_", model)[:60]
        self.stem = f"{plain}-{hashlib.sha256(model.encode()).hexdigest()[:8]}.{kind}"
        self.description_path = folder / f"{self.stem}.json"

    def describe(self) -> Description | None:
        """What the current file says about itself; None where there is none."""
        try:
            return Description.from_json(json.loads(self.description_path.read_text(encoding="utf-8")))
        except FileNotFoundError:
            return None
        except (OSError, ValueError) as error:
            raise StaleIndexError(f"its description cannot be read: {error}") from error

    def data_path(self, description: Description) -> Path:
        """The data file, once its checksum is the one that was noted."""
        path = self.folder / Path(description.file).name
        try:
            with path.open("rb") as file:
                digest = hashlib.file_digest(file, "sha256").hexdigest()
        except OSError as error:
            raise StaleIndexError(f"{path.name} cannot be read: {error.strerror}") from error
        if digest != description.sha256:
            raise StaleIndexError(f"{path.name} is damaged: its checksum is another one")
        return path

    def write(self, engine: Engine, model: str, width: int, coverage: Coverage) -> Description:
        """Put a new data file in the place of the current one."""
        name = f"{self.stem}.{coverage.last}-{secrets.token_hex(4)}"
        path = self.folder / name
        engine.save(path)
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
            os.fsync(file.fileno())
        description = Description(model, width, engine.kind, engine.settings, coverage, name, digest)
        self._replace(json.dumps(description.to_json(), indent=1) + "\n")
        self._remove_all_but(name)
        return description

    @contextmanager
    def exclusive(self) -> Iterator[bool]:
        """Whether this process alone may write now; a crash gives the right back. Raises where nobody may."""
        self.folder.mkdir(parents=True, exist_ok=True)
        # SQLite's lock of a file works on every system, and the system takes it back from a process that died.
        with closing(sqlite3.connect(self.folder / "lock", timeout=0, isolation_level=None)) as lock:
            try:
                lock.execute("BEGIN EXCLUSIVE")
            except sqlite3.OperationalError as error:
                if getattr(error, "sqlite_errorcode", 0) & 0xFF not in (
                    sqlite3.SQLITE_BUSY,
                    sqlite3.SQLITE_LOCKED,
                ):
                    raise OSError(str(error)) from error
                yield False
            else:
                yield True

    def _replace(self, text: str) -> None:
        aside = self.folder / f".{self.stem}.{secrets.token_hex(4)}"
        aside.write_text(text, encoding="utf-8")
        aside.replace(self.description_path)

    def _remove_all_but(self, name: str) -> None:
        for old in self.folder.glob(f"{self.stem}.*-*"):
            if old.name != name:
                with suppress(OSError):  # where another process has it mapped, some systems keep it
                    old.unlink()
