"""Records as JSON lines: writing a ledger out, and reading one in after checking all of it."""

from __future__ import annotations

import json
import os
import secrets
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TextIO

from tiacam.errors import DamagedRegistryError, DataError, RegistryUnavailableError
from tiacam.registry.chain import Chain
from tiacam.registry.record import Record

MEMORY_BEFORE_DISK = 32 * 2**20


@dataclass(frozen=True)
class ImportReport:
    """How many records an import added, and how many of the file were in the registry already."""

    added: int
    present: int


def write_lines(records: Iterable[Record], target: str | Path | TextIO) -> int:
    """Write one JSON object a line, in plain ASCII; a file at a path appears whole or not at all."""
    if isinstance(target, str | Path):
        return write_file(records, Path(target))
    count = 0
    for record in records:
        target.write(line(record))
        count += 1
    return count


def write_file(records: Iterable[Record], path: Path) -> int:
    aside = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    try:
        try:
            with aside.open("x", encoding="ascii") as file:
                count = write_lines(records, file)
                file.flush()
                os.fsync(file.fileno())
            aside.replace(path)
        finally:
            aside.unlink(missing_ok=True)
    except OSError as error:
        raise DataError(f"the export {path} cannot be written: {error.strerror}") from error
    return count


def line(record: Record) -> str:
    return json.dumps(record.to_json(), sort_keys=True, separators=(",", ":"), allow_nan=False) + "\n"


@contextmanager
def verified(source: str | Path | Iterable[str | bytes]) -> Iterator[Iterator[Record]]:
    """The records of an export whose signatures and chain are all right, without holding them in memory."""
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
        yield (Record.from_json(json.loads(text)) for text in spool)


def check_into(spool: IO[str], lines: Iterable[str | bytes]) -> None:
    chain = Chain()
    for number, text in enumerate(lines, start=1):
        if not text.strip():
            continue
        try:
            record = Record.from_json(json.loads(text))
            chain.append(record)
        except (ValueError, RecursionError) as error:
            raise DamagedRegistryError(f"line {number} of the import is not JSON: {error}") from error
        except DamagedRegistryError as error:
            raise DamagedRegistryError(f"line {number} of the import: {error}") from error
        store(spool, line(record))


def store(spool: IO[str], text: str) -> None:
    try:
        spool.write(text)
    except OSError as error:
        raise RegistryUnavailableError(f"no room for checking the import: {error.strerror}") from error
