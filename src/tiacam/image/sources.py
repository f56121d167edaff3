"""Take the bytes of a picture from wherever they lie; refuse what is none before reading all of it."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from tiacam.errors import ImageTooLargeError, UnreadableImageError
from tiacam.image.formats import HEAD_BYTES, READ_FORMATS, Format, recognise

# 178 megapixels of three 16-bit samples, uncompressed, still fit.
MAX_BYTES = 2**30


@dataclass(frozen=True)
class EncodedFile:
    """The whole content of a file, and what its first bytes say it is."""

    name: str
    kind: Format
    data: bytes


def read_path(path: str | os.PathLike[str], name: str | None) -> EncodedFile:
    """Content of the file at `path`; errors call it by the path as it was given."""
    name = name or os.fsdecode(path)
    try:
        with Path(path).open("rb") as stream:
            return read_stream(stream, name)
    except (OSError, ValueError) as error:
        raise UnreadableImageError(f"{name}: cannot be read: {reason(error)}") from error


def read_stream(stream: BinaryIO, name: str | None) -> EncodedFile:
    """What is left to read of a file object that is open in binary mode."""
    name = name or stream_name(stream)
    try:
        head = take(stream, HEAD_BYTES, name)
        kind = identify(head, name)
        data = head + take(stream, MAX_BYTES + 1 - len(head), name)
    except (OSError, ValueError) as error:
        raise UnreadableImageError(f"{name}: cannot be read: {reason(error)}") from error
    return bounded(EncodedFile(name, kind, data))


def read_bytes(data: bytes | bytearray | memoryview, name: str | None) -> EncodedFile:
    """A file that is in memory already."""
    name = name or "<bytes>"
    return bounded(EncodedFile(name, identify(bytes(data[:HEAD_BYTES]), name), bytes(data)))


def take(stream: BinaryIO, wanted: int, name: str) -> bytes:
    """Up to `wanted` bytes; fewer only at the end, though pipes and sockets hand out small pieces."""
    pieces: list[bytes] = []
    while wanted > 0 and (piece := stream.read(wanted)):
        if not isinstance(piece, bytes):
            raise UnreadableImageError(
                f"{name}: reading gave {type(piece).__name__}, wanted a file open in binary mode"
            )
        pieces.append(piece)
        wanted -= len(piece)
    return b"".join(pieces)


def identify(head: bytes, name: str) -> Format:
    if not head:
        raise UnreadableImageError(f"{name}: empty, there is no byte to read")
    kind = recognise(head)
    if kind is None:
        raise UnreadableImageError(f"{name}: not a picture: begins with {head[:16]!r}; wanted {READ_FORMATS}")
    return kind


def bounded(file: EncodedFile) -> EncodedFile:
    if len(file.data) > MAX_BYTES:
        raise ImageTooLargeError(
            f"{file.name}: the file has more than {MAX_BYTES:,} bytes, the most that is read"
        )
    return file


def stream_name(stream: BinaryIO) -> str:
    name = getattr(stream, "name", None)
    return name if isinstance(name, str) else "<stream>"


def reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error) or type(error).__name__
