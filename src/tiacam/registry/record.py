"""The record: what the ledger keeps of one registration, signed by its owner and chained to the one before.

Format `tiacam-record-1`. The *content* of a record is the JSON object with the keys format, model, mark,
feature, media_type, sha256, bits, owner and note: keys sorted, no spaces, UTF-8, floats in their shortest
form, binary values as base64 (features as little-endian fp16), digests as hex. The *canonical bytes* are the
same object with created_at and previous added; they are what is signed.

Format `tiacam-record-2` has two more keys in its content: landmarks (base64, may be empty) and manifest_sha256
(hex or null). It is used only where one of them says something, so every other record is of format 1 still.
The manifest itself is kept beside the record, under its digest.

- id = "tia" + lower-case base32 of the first 20 bytes of SHA-256(content). It leaves out time and place in
  the chain, so it survives a move to another ledger, and a second attempt to add the same draft is noticed.
  The salt inside the mark makes it unique to the registration.
- hash = SHA-256(canonical bytes + signature): the next record's `previous`.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tiacam.errors import DamagedRegistryError
from tiacam.registry.keys import OwnerKey
from tiacam.registry.registration import HALF, HEX_DIGEST, Draft, Registration, encode
from tiacam.watermark.mark import Mark

FORMATS = ("tiacam-record-1", "tiacam-record-2")
GENESIS = bytes(32)
ID_BYTES = 20
TIME_FORMAT = "%Y-%m-%dT%H:%M:%S.%fZ"
INSTANT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z")
BYTE_FIELDS = (("owner", 32), ("previous", 32), ("signature", 64))


@dataclass(frozen=True, eq=False, kw_only=True)
class Record(Registration):
    """One registration in the ledger. Equal when the signed bytes and the signature are."""

    feature: NDArray[np.float16]
    created_at: str
    owner: bytes
    previous: bytes
    signature: bytes
    manifest_sha256: str | None = None

    def __post_init__(self) -> None:
        feature = np.array(self.feature, dtype=HALF)
        feature.flags.writeable = False
        object.__setattr__(self, "feature", feature)

    @classmethod
    def sign(cls, draft: Draft, key: OwnerKey, previous: bytes, created_at: str | None = None) -> Record:
        unsigned = cls(
            created_at=created_at or datetime.now(UTC).strftime(TIME_FORMAT),
            model=draft.model,
            mark=draft.mark,
            feature=draft.feature.astype(HALF),
            bits=draft.bits,
            media_type=draft.media_type,
            sha256=draft.sha256,
            note=draft.note,
            landmarks=draft.landmarks,
            manifest_sha256=hashlib.sha256(draft.manifest).hexdigest() if draft.manifest else None,
            owner=key.public,
            previous=previous,
            signature=b"",
        )
        return replace(unsigned, signature=key.sign(unsigned.canonical_bytes()))

    @cached_property
    def id(self) -> str:
        digest = hashlib.sha256(encode(self._content())).digest()[:ID_BYTES]
        return "tia" + base64.b32encode(digest).decode().lower()

    @cached_property
    def hash(self) -> bytes:
        return hashlib.sha256(self.canonical_bytes() + self.signature).digest()

    def canonical_bytes(self) -> bytes:
        """What the owner signs: everything but the id, which follows from it, and the signature."""
        return encode(self._content() | {"created_at": self.created_at, "previous": self.previous.hex()})

    def is_signed(self) -> bool:
        """Whether the signature is the owner's over exactly this record."""
        return OwnerKey.verify(self.owner, self.signature, self.canonical_bytes())

    def to_json(self) -> dict[str, Any]:
        return self._content() | {
            "id": self.id,
            "created_at": self.created_at,
            "previous": self.previous.hex(),
            "signature": base64.b64encode(self.signature).decode(),
        }

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Record:
        """The record that `to_json` wrote; its form and its id are checked, its signature is not."""
        try:
            if value["format"] not in FORMATS:
                raise ValueError(f"its format is {value['format']!r}, wanted {' or '.join(FORMATS)}")
            record = cls(
                created_at=value["created_at"],
                model=value["model"],
                mark=Mark.from_json(value["mark"]),
                feature=np.frombuffer(base64.b64decode(value["feature"], validate=True), dtype=HALF),
                bits=value["bits"],
                media_type=value["media_type"],
                sha256=value["sha256"],
                note=value["note"],
                landmarks=base64.b64decode(value.get("landmarks", ""), validate=True),
                manifest_sha256=value.get("manifest_sha256"),
                owner=base64.b64decode(value["owner"], validate=True),
                previous=bytes.fromhex(value["previous"]),
                signature=base64.b64decode(value["signature"], validate=True),
            )
            return record.checked(value["id"])
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise DamagedRegistryError(f"no valid record: {describe(error)}") from error

    def checked(self, expected_id: object) -> Record:
        """This record, or a ValueError that says what in it is malformed or does not belong to the id."""
        self.check()
        if not INSTANT.fullmatch(self.created_at):
            raise ValueError(
                f"created_at is {self.created_at!r}, wanted UTC like 2026-01-31T12:00:00.000000Z"
            )
        if self.manifest_sha256 is not None and not HEX_DIGEST.fullmatch(self.manifest_sha256):
            raise ValueError(f"manifest_sha256 is {self.manifest_sha256!r}, wanted 64 hex digits or None")
        for name, size in BYTE_FIELDS:
            value = getattr(self, name)
            if not isinstance(value, bytes) or len(value) != size:
                raise ValueError(f"{name} is {value!r}, wanted {size} bytes")
        if self.id != expected_id:
            raise ValueError(f"it was edited, its content belongs to the id {self.id}, not to {expected_id}")
        return self

    def _content(self) -> dict[str, Any]:
        extended = bool(self.landmarks or self.manifest_sha256)
        content = {
            "format": FORMATS[extended],
            "model": self.model,
            "mark": self.mark.to_json(),
            "feature": base64.b64encode(self.feature.tobytes()).decode(),
            "bits": self.bits,
            "media_type": self.media_type,
            "sha256": self.sha256,
            "note": self.note,
            "owner": base64.b64encode(self.owner).decode(),
        }
        if extended:
            content["landmarks"] = base64.b64encode(self.landmarks).decode()
            content["manifest_sha256"] = self.manifest_sha256
        return content

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Record) and self.hash == other.hash

    def __hash__(self) -> int:
        return hash(self.hash)


def describe(error: Exception) -> str:
    return f"{error.args[0]!r} is missing" if isinstance(error, KeyError) else str(error)
