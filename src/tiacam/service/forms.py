"""Multipart forms that are in memory already: cut at the boundary, in one pass.

Parsers made for streams look at every line end by itself; thirty megabytes of picture would keep the event loop busy
for seconds. Here the boundary is searched for, and what lies between is not looked at.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from tiacam.errors import MediaTypeError, RequestError

MOST_PARTS = 10
LARGEST_HEAD = 8 * 1024  # of one part
LARGEST_TEXT = 64 * 1024
BOUNDARY = re.compile(
    r'multipart/form-data\s*;.*?\bboundary=(?:"([^"]{1,70})"|([^\s;,"]{1,70}))', re.IGNORECASE
)
NAME = re.compile(r';\s*name="([^"]*)"', re.IGNORECASE)
FILE = re.compile(r";\s*filename\*?=", re.IGNORECASE)


@dataclass(frozen=True)
class Form:
    """A form's texts, and the contents of its files. File names are dropped unread."""

    texts: dict[str, str]
    files: dict[str, bytes]


def parse_form(content_type: str, body: bytes) -> Form:
    """The form in a body, or a refusal that says what is wrong with it."""
    texts: dict[str, str] = {}
    files: dict[str, bytes] = {}
    for part in cut(body, boundary_of(content_type)):
        head, found, content = part.partition(b"\r\n\r\n")
        if not found or len(head) > LARGEST_HEAD:
            raise RequestError("the form cannot be read: a part without a head")
        disposition = disposition_of(head)
        name = name_of(disposition)
        if name in texts or name in files:
            raise RequestError(f"the field {name[:80]!r} comes twice")
        if FILE.search(disposition):
            files[name] = content
        else:
            texts[name] = text_of(name, content)
    return Form(texts, files)


def boundary_of(content_type: str) -> bytes:
    found = BOUNDARY.match(content_type)
    if found is None:
        raise MediaTypeError("the body must be multipart/form-data with a boundary")
    return (found[1] or found[2]).encode("latin-1", "replace")


def cut(body: bytes, boundary: bytes) -> list[bytes]:
    """The parts between the boundaries, heads included; the last boundary ends with two dashes."""
    opening = b"--" + boundary
    if not body.startswith(opening):
        raise RequestError("the form cannot be read: it does not begin with its boundary")
    pieces = body[len(opening) :].split(b"\r\n" + opening, MOST_PARTS + 1)
    if len(pieces) > MOST_PARTS + 1:
        raise RequestError(f"the form has more than {MOST_PARTS} parts")
    if not pieces[-1].startswith(b"--") or not all(piece.startswith(b"\r\n") for piece in pieces[:-1]):
        raise RequestError("the form cannot be read: it ends before its last boundary")
    return [piece[2:] for piece in pieces[:-1]]


def disposition_of(head: bytes) -> str:
    for line in head.decode("utf-8", "replace").split("\r\n"):
        name, _, value = line.partition(":")
        if name.strip().lower() == "content-disposition" and value.strip().lower().startswith("form-data"):
            return value
    raise RequestError("the form cannot be read: a part that is no form-data")


def name_of(disposition: str) -> str:
    found = NAME.search(disposition)
    if found is None:
        raise RequestError("the form cannot be read: a part without a name")
    return found[1]


def text_of(name: str, content: bytes) -> str:
    if len(content) > LARGEST_TEXT:
        raise RequestError(f"the field {name[:80]!r} has more than {LARGEST_TEXT:,} bytes")
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise RequestError(f"the field {name[:80]!r} is not UTF-8") from error
