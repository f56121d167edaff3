"""Just enough of JUMBF (ISO 19566-5) to find the manifests in a C2PA manifest store, and the active one."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass

from tiacam.errors import DataError

SUPERBOX, DESCRIPTION = b"jumb", b"jumd"
STORE = b"c2pa"  # the first four bytes of a box type's UUID
MANIFESTS = (b"c2ma", b"c2um", b"c2cm")  # standard, update and compressed manifests
LABELLED = 0x02


@dataclass(frozen=True)
class Box:
    """A box: its kind and its content, without its header."""

    kind: bytes
    content: bytes
    whole: bytes


@dataclass(frozen=True)
class Manifest:
    """One manifest of a store: its label (a urn:c2pa:…) and its superbox."""

    label: str
    box: Box


@dataclass(frozen=True)
class ManifestStore:
    """All manifests of a store in its order; the last one is the active one."""

    description: Box
    manifests: tuple[Manifest, ...]

    @property
    def active(self) -> Manifest:
        return self.manifests[-1]

    def active_alone(self) -> bytes:
        """A store with the active manifest as its only one."""
        return pack(SUPERBOX, self.description.whole + self.active.box.whole)


def boxes(data: bytes) -> Iterator[Box]:
    position = 0
    while position < len(data):
        header = data[position : position + 16]
        if len(header) < 8:
            raise DataError("the manifest store ends inside a box")
        size, kind = struct.unpack(">I4s", header[:8])
        start = 8
        if size == 1 and len(header) == 16:
            size, start = struct.unpack(">Q", header[8:])[0], 16
        elif size == 0:
            size = len(data) - position
        if size < start or position + size > len(data):
            raise DataError(
                f"a box of the manifest store claims {size} bytes, {len(data) - position} are left"
            )
        whole = data[position : position + size]
        yield Box(kind, whole[start:], whole)
        position += size


def pack(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I4s", 8 + len(content), kind) + content


def described(box: Box) -> tuple[bytes, str, list[Box]]:
    """The type, the label and the other boxes of a superbox."""
    children = list(boxes(box.content))
    if (
        box.kind != SUPERBOX
        or not children
        or children[0].kind != DESCRIPTION
        or len(children[0].content) < 17
    ):
        raise DataError("a JUMBF superbox without a description")
    about = children[0].content
    label = about[17:].partition(b"\0")[0].decode("utf-8", "replace") if about[16] & LABELLED else ""
    return about[:4], label, children


def parse_store(data: bytes) -> ManifestStore:
    """The store in `data`; a DataError where it is none."""
    found = list(boxes(data))
    if len(found) != 1:
        raise DataError(f"{len(found)} boxes, wanted one C2PA manifest store")
    kind, _, children = described(found[0])
    if kind != STORE:
        raise DataError(f"a JUMBF box of the kind {kind!r}, wanted a C2PA manifest store")
    manifests = []
    for child in children[1:]:
        kind, label, _ = described(child)
        if kind in MANIFESTS and label:
            manifests.append(Manifest(label, child))
    if not manifests:
        raise DataError("a C2PA manifest store without a manifest")
    return ManifestStore(children[0], tuple(manifests))
