"""From a form to a record that is on disk: once for each idempotency key."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from tiacam.app import Submission
from tiacam.errors import DataError, MessageError, RecordExistsError, RequestError
from tiacam.registry import Record
from tiacam.registry.record import GENESIS
from tiacam.service.admission import check_picture
from tiacam.service.core import Service
from tiacam.service.forms import Form
from tiacam.service.jumbf import parse_store
from tiacam.service.uploads import Upload
from tiacam.watermark import Message

LONGEST_NOTE = 2000
LARGEST_MANIFEST = 1 << 20
TEXTS = {"message", "hex", "bits", "note"}
FILES = {"picture", "manifest"}


@dataclass(frozen=True)
class Order:
    """One picture to register, as it was asked for."""

    picture: bytes
    message: Message
    note: str
    manifest: bytes

    @classmethod
    def of(cls, form: Form) -> Order:
        if unknown := (set(form.texts) - TEXTS) | (set(form.files) - FILES):
            raise RequestError(f"unknown fields: {', '.join(sorted(name[:40] for name in unknown))}")
        if "picture" not in form.files:
            raise RequestError("the field `picture` (a file) is missing")
        note = check_note(form.texts.get("note", ""))
        return cls(
            form.files["picture"],
            message_of(form.texts),
            note,
            check_manifest(form.files.get("manifest", b"")),
        )

    @property
    def digest(self) -> str:
        """One name for everything that was asked for."""
        message = f"{self.message.length} {self.message.value} {self.message.is_text}".encode()
        parts = (self.picture, message, self.note.encode(), self.manifest)
        return hashlib.sha256(b"".join(hashlib.sha256(part).digest() for part in parts)).hexdigest()


def message_of(texts: dict[str, str]) -> Message:
    given = {name: texts[name] for name in ("message", "hex", "bits") if texts.get(name)}
    if len(given) != 1:
        raise MessageError("give the message once: as `message` (text), `hex` or `bits`")
    ((form, value),) = given.items()
    return {"message": Message.from_text, "hex": Message.from_hex, "bits": Message.from_bits}[form](value)


def check_note(note: str) -> str:
    if len(note) > LONGEST_NOTE:
        raise DataError(f"the note has {len(note):,} characters, at most {LONGEST_NOTE:,} are kept")
    if "\0" in note or (not note.isprintable() and any(ord(c) < 32 and c not in "\t\n\r" for c in note)):
        raise DataError("the note holds control characters, wanted text")
    return note


def check_manifest(manifest: bytes) -> bytes:
    if len(manifest) > LARGEST_MANIFEST:
        raise DataError(f"the manifest has {len(manifest):,} bytes, at most {LARGEST_MANIFEST:,} are kept")
    if manifest:
        parse_store(manifest)
    return manifest


@dataclass(frozen=True)
class Outcome:
    """The record, and whether it had been there before."""

    record: Record
    repeated: bool


def register(service: Service, order: Order, caller: str, key: str | None) -> Outcome:
    """Work for the pool: returns when the record is durable."""
    check_picture(order.picture, service.settings.max_pixels)
    if key is None:
        return add(service, order, b"")
    known = service.keys.begin(caller, key, order.digest)
    if known is not None:
        return Outcome(service.tiacam.registry.get(known), repeated=True)
    outcome = add(service, order, f"{caller}\n{key}".encode())
    service.keys.finish(caller, key, outcome.record.id)
    return outcome


def add(service: Service, order: Order, name: bytes) -> Outcome:
    tiacam = service.tiacam
    submission = Submission(Upload(order.picture), order.message, order.note, order.manifest, name)
    draft = tiacam.draft(submission)
    try:
        return Outcome(tiacam.registry.add(draft, tiacam.key), repeated=False)
    except RecordExistsError:  # done before, by a service that stopped before it could say so
        same = Record.sign(draft, tiacam.key, GENESIS).id
        return Outcome(tiacam.registry.get(same), repeated=True)
