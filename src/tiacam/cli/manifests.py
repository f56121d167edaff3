"""What is to be registered: files that share a message, or a manifest with a message for each."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tiacam.cli.options import find_files
from tiacam.errors import MessageError, UsageError

if TYPE_CHECKING:
    from tiacam.app import Submission
    from tiacam.watermark import Message


def submissions_of(options: argparse.Namespace) -> list[Submission]:
    """The files of the command line, all with one message."""
    from tiacam.app import Submission

    if not options.files:
        raise UsageError("no picture named: give files, folders or patterns, or --manifest FILE")
    message = parse_message(
        {key: getattr(options, key) for key in ("message", "hex", "bits")}, "the command line"
    )
    return [Submission(file, message, options.note) for file in find_files(options.files)]


def manifest_of(options: argparse.Namespace) -> list[Submission]:
    if options.files:
        raise UsageError("give files or --manifest FILE, not both")
    return read_manifest(options.manifest, options.note)


def read_manifest(path: Path, note: str = "") -> list[Submission]:
    """One picture and its own message a line; file names are relative to the manifest. `note` is the default."""
    from tiacam.app import Submission

    submissions: list[Submission] = []
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"cannot read the manifest {path}: {error}") from error
    for number, line in enumerate(lines, 1):
        if line.strip():
            entry = parse_line(line, f"{path}, line {number}")
            message = parse_message(entry, f"{path}, line {number}")
            submissions.append(
                Submission(str(path.parent / entry["file"]), message, str(entry.get("note") or note))
            )
    if not submissions:
        raise UsageError(f"the manifest {path} names no pictures")
    return submissions


def parse_line(line: str, where: str) -> dict[str, Any]:
    try:
        entry = json.loads(line)
    except ValueError as error:
        raise UsageError(f"{where}: no JSON object: {error}") from error
    if not isinstance(entry, dict) or not isinstance(entry.get("file"), str):
        raise UsageError(f'{where}: wanted an object with "file" and "message" or "hex", got {line[:80]}')
    return entry


def parse_message(given: dict[str, Any], where: str) -> Message:
    from tiacam.watermark import Message

    named: Sequence[str] = [key for key in ("message", "hex", "bits") if given.get(key) is not None]
    if len(named) != 1:
        raise UsageError(
            f"{where}: wanted exactly one of message, hex and bits, got {' and '.join(named) or 'none'}"
        )
    value = given[named[0]]
    if not isinstance(value, str):
        raise UsageError(f"{where}: {named[0]} is {value!r}, wanted text in quotes")
    notation = {"message": Message.from_text, "hex": Message.from_hex, "bits": Message.from_bits}
    try:
        return notation[named[0]](value)
    except (MessageError, UnicodeEncodeError) as error:
        raise MessageError(f"{where}: {error}") from error
