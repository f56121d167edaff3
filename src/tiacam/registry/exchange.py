"""Records as JSON lines: writing a ledger out, and reading one in after checking all of it."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import secrets
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, TextIO

from tiacam.errors import DamagedRegistryError, DataError, RegistryUnavailableError
from tiacam.registry.chain import Chain
from tiacam.registry.log.events import FORMAT as KEY_EVENT
from tiacam.registry.log.events import KeyEvent
from tiacam.registry.log.heads import FORMAT as TREE_HEAD
from tiacam.registry.log.heads import TreeHead
from tiacam.registry.log.log import dump
from tiacam.registry.record import Record

MEMORY_BEFORE_DISK = 32 * 2**20


@dataclass(frozen=True)
class ImportReport:
    """How many records an import added, and how many of the file were in the registry already."""

    added: int
    present: int


@dataclass(frozen=True)
class Entry:
    """One line of an export: a record and the manifest that is kept beside it, empty where there is none."""

    record: Record
    manifest: bytes = b""

    def to_line(self) -> str:
        value = self.record.to_json()
        if self.manifest:
            value["manifest"] = base64.b64encode(self.manifest).decode()
        return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False) + "\n"

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Entry:
        """The entry that `to_line` wrote, its form checked, and that the manifest is the record's own."""
        record = Record.from_json(value)
        try:
            manifest = base64.b64decode(value.get("manifest", ""), validate=True)
        except (TypeError, ValueError) as error:
            raise DamagedRegistryError(f"no valid manifest: {error}") from error
        check_manifest(record, manifest)
        return cls(record, manifest)


Line = Entry | KeyEvent | TreeHead


def to_line(line: Line) -> str:
    return line.to_line() if isinstance(line, Entry) else dump(line) + "\n"


def from_line(text: str | bytes) -> Line:
    """What a line of an export says; its form is checked, of a statement its signature too."""
    value = json.loads(text)
    kind = value.get("format") if isinstance(value, dict) else None
    if kind == TREE_HEAD:
        return TreeHead.from_json(value)
    return KeyEvent.from_json(value) if kind == KEY_EVENT else Entry.from_json(value)


def check_manifest(record: Record, manifest: bytes | None) -> None:
    """Refuse another manifest than the one that the record was signed over."""
    found = hashlib.sha256(manifest).hexdigest() if manifest else None
    if found != record.manifest_sha256:
        raise DamagedRegistryError(
            f"the manifest of record {record.id} was edited, deleted or added: "
            f"its sha256 is {found}, the record says {record.manifest_sha256}"
        )


def write_lines(lines: Iterable[Line], target: str | Path | TextIO) -> int:
    """Write one JSON object a line, in plain ASCII; a file at a path appears whole or not at all. Counts records."""
    if isinstance(target, str | Path):
        return write_file(lines, Path(target))
    count = 0
    for line in lines:
        target.write(to_line(line))
        count += isinstance(line, Entry)
    return count


def write_file(lines: Iterable[Line], path: Path) -> int:
    aside = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    try:
        try:
            with aside.open("x", encoding="ascii") as file:
                count = write_lines(lines, file)
                file.flush()
                os.fsync(file.fileno())
            aside.replace(path)
        finally:
            aside.unlink(missing_ok=True)
    except OSError as error:
        raise DataError(f"the export {path} cannot be written: {error.strerror}") from error
    return count


@contextmanager
def verified(source: str | Path | Iterable[str | bytes]) -> Iterator[Iterator[Line]]:
    """The lines of an export whose signatures and chain are all right, without holding them in memory."""
    with tempfile.SpooledTemporaryFile(MEMORY_BEFORE_DISK, "w+", encoding="ascii") as spool:
        if isinstance(source, str | Path):
            try:
                with Path(source).open("rb") as file:
                    check_into(spool, file)
            except OSError as error:
                raise DataError(f"the export {source} cannot be read: {error.strerror}") from error
        else:
            check_into(spool, source)
        spool.seek(0)
        yield map(from_line, spool)


def check_into(spool: IO[str], lines: Iterable[str | bytes]) -> None:
    chain = Chain()
    for number, text in enumerate(lines, start=1):
        if not text.strip():
            continue
        try:
            line = from_line(text)
            if isinstance(line, Entry):
                chain.append(line.record)
        except (ValueError, RecursionError) as error:
            raise DamagedRegistryError(f"line {number} of the import is not JSON: {error}") from error
        except DamagedRegistryError as error:
            raise DamagedRegistryError(f"line {number} of the import: {error}") from error
        store(spool, to_line(line))


def store(spool: IO[str], text: str) -> None:
    try:
        spool.write(text)
    except OSError as error:
        raise RegistryUnavailableError(f"no room for checking the import: {error.strerror}") from error
