"""What becomes of keys: an owner goes over to a new key, or takes a key back that others may have.

Events form a chain of their own, and every tree head covers it. An event names the number and the hash of the last
record at its time, so it has a place among the records too.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from tiacam.errors import DamagedRegistryError, KeyEndedError
from tiacam.registry.keys import OwnerKey, fingerprint
from tiacam.registry.record import GENESIS, describe
from tiacam.registry.registration import encode

FORMAT = "tiacam-key-event-1"
KINDS = ("rotate", "revoke")


@dataclass(frozen=True, kw_only=True)
class KeyEvent:
    """`key` ends: its records after number `since` do not count. A rotation names the `successor`, who consents.

    A revocation may be signed by the key itself or by its successor, and may reach back: `since` <= `number`.
    """

    kind: str
    key: bytes
    successor: bytes
    since: int
    number: int
    head: bytes
    created_at: str
    previous: bytes
    signer: bytes
    signature: bytes = b""
    consent: bytes = b""

    def signed(self, key: OwnerKey, successor: OwnerKey | None = None) -> KeyEvent:
        content = self.signed_bytes()
        consent = successor.sign(content) if successor else b""
        return replace(self, signature=key.sign(content), consent=consent)

    def signed_bytes(self) -> bytes:
        return encode(self._content())

    @cached_property
    def hash(self) -> bytes:
        return hashlib.sha256(self.signed_bytes() + self.signature + self.consent).digest()

    def is_signed(self) -> bool:
        content = self.signed_bytes()
        if self.kind == "rotate" and not (
            self.signer == self.key and OwnerKey.verify(self.successor, self.consent, content)
        ):
            return False
        return OwnerKey.verify(self.signer, self.signature, content)

    def to_json(self) -> dict[str, Any]:
        return self._content() | {"signature": text(self.signature), "consent": text(self.consent)}

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> KeyEvent:
        """The event that `to_json` wrote, its form and its signatures checked."""
        try:
            if value["format"] != FORMAT or value["kind"] not in KINDS:
                raise ValueError(f"it is {value['format']!r} of kind {value['kind']!r}, wanted {FORMAT!r}")
            event = cls(
                kind=value["kind"],
                key=data(value["key"]),
                successor=data(value["successor"]),
                since=int(value["since"]),
                number=int(value["number"]),
                head=bytes.fromhex(value["head"]),
                created_at=str(value["created_at"]),
                previous=bytes.fromhex(value["previous"]),
                signer=data(value["signer"]),
                signature=data(value["signature"]),
                consent=data(value["consent"]),
            )
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise DamagedRegistryError(f"no valid key event: {describe(error)}") from error
        if not event.is_signed():
            raise DamagedRegistryError(
                f"the key event about {fingerprint(event.key)} was edited: its signature does not match"
            )
        return event

    def _content(self) -> dict[str, Any]:
        return {
            "format": FORMAT,
            "kind": self.kind,
            "key": text(self.key),
            "successor": text(self.successor),
            "since": self.since,
            "number": self.number,
            "head": self.head.hex(),
            "created_at": self.created_at,
            "previous": self.previous.hex(),
            "signer": text(self.signer),
        }


class KeyHistory:
    """All events of a registry in order, and what follows from them for a record."""

    def __init__(self, events: Iterable[KeyEvent] = ()) -> None:
        self.events: list[KeyEvent] = []
        for event in events:
            self.append(event)

    @property
    def head(self) -> bytes:
        return self.events[-1].hash if self.events else GENESIS

    def append(self, event: KeyEvent) -> None:
        """Take in the next event; one that does not belong here is refused."""
        name = f"the key event {len(self.events) + 1} about {fingerprint(event.key)}"
        if event.previous != self.head:
            raise DamagedRegistryError(f"{name} does not follow the one before it: one was edited or deleted")
        if event.signer not in (event.key, self.successor(event.key)):
            raise DamagedRegistryError(f"{name} is signed by neither the key nor its successor")
        if not 0 <= event.since <= event.number:
            raise DamagedRegistryError(f"{name} reaches beyond the records of its time")
        self.events.append(event)

    def successor(self, key: bytes) -> bytes | None:
        found = [event.successor for event in self.events if event.key == key and event.successor]
        return found[0] if found else None

    def successors(self, key: bytes) -> list[bytes]:
        """All keys that followed a key, one after the other."""
        found: list[bytes] = []
        while (following := self.successor(key)) and following not in found:
            found.append(following)
            key = following
        return found

    def ended(self, key: bytes) -> int | None:
        """The last number at which records of a key count; None while it is in use."""
        ends = [event.since for event in self.events if event.key == key]
        return min(ends) if ends else None

    def distrusts(self, key: bytes, number: int) -> bool:
        """Whether a record of this key and number does not count: the key was taken back from before it on."""
        end = self.ended(key)
        return end is not None and number > end

    def check(self, key: bytes) -> None:
        """Refuse a key that was given up: it may not sign any more."""
        if self.ended(key) is None:
            return
        successor = self.successor(key)
        advice = (
            f"its successor is {fingerprint(successor)}, name that key's file with --key"
            if successor
            else "register with another key"
        )
        raise KeyEndedError(f"the key {fingerprint(key)} was given up in this registry: {advice}")

    def ended_before(self, key: bytes, number: int) -> bool:
        """Whether the key had been given up before the record of this number was added."""
        return any(event.key == key and event.number < number for event in self.events)


def text(value: bytes) -> str:
    return base64.b64encode(value).decode()


def data(value: str) -> bytes:
    return base64.b64decode(value, validate=True)
