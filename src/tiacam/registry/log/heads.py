"""A tree head: somebody's signed word that the registry held exactly these records at this time.

Signed are the bytes of the JSON object with the keys format, size, root, events, events_head, created_at and log
(keys sorted, no spaces); `log` is the public key of whoever keeps the log.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tiacam.errors import DamagedRegistryError, DataError
from tiacam.registry.keys import OwnerKey
from tiacam.registry.record import INSTANT, describe
from tiacam.registry.registration import encode

FORMAT = "tiacam-tree-head-1"


@dataclass(frozen=True, kw_only=True)
class TreeHead:
    """The root over `size` records, and the last of `events` key events; a `stamp` is an RFC 3161 reply."""

    size: int
    root: bytes
    events: int
    events_head: bytes
    created_at: str
    log: bytes
    signature: bytes = b""
    stamp: bytes = b""

    def signed(self, key: OwnerKey) -> TreeHead:
        return replace(self, signature=key.sign(self.signed_bytes()))

    def signed_bytes(self) -> bytes:
        return encode(self._content())

    def is_signed(self) -> bool:
        return OwnerKey.verify(self.log, self.signature, self.signed_bytes())

    def to_json(self) -> dict[str, Any]:
        stamp = {"stamp": base64.b64encode(self.stamp).decode()} if self.stamp else {}
        return self._content() | {"signature": base64.b64encode(self.signature).decode()} | stamp

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> TreeHead:
        """The head that `to_json` wrote, its form and its signature checked."""
        try:
            if value["format"] != FORMAT:
                raise ValueError(f"its format is {value['format']!r}, wanted {FORMAT!r}")
            head = cls(
                size=int(value["size"]),
                root=bytes.fromhex(value["root"]),
                events=int(value["events"]),
                events_head=bytes.fromhex(value["events_head"]),
                created_at=str(value["created_at"]),
                log=base64.b64decode(value["log"], validate=True),
                signature=base64.b64decode(value["signature"], validate=True),
                stamp=base64.b64decode(value.get("stamp", ""), validate=True),
            )
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise DamagedRegistryError(f"no valid tree head: {describe(error)}") from error
        if not (INSTANT.fullmatch(head.created_at) and head.is_signed()):
            raise DamagedRegistryError(
                f"the tree head of {head.size} records was edited: its signature does not match"
            )
        return head

    def _content(self) -> dict[str, Any]:
        return {
            "format": FORMAT,
            "size": self.size,
            "root": self.root.hex(),
            "events": self.events,
            "events_head": self.events_head.hex(),
            "created_at": self.created_at,
            "log": base64.b64encode(self.log).decode(),
        }


def write_json(path: Path, value: Mapping[str, Any]) -> None:
    try:
        path.write_text(json.dumps(value, indent=1) + "\n", encoding="ascii")
    except OSError as error:
        raise DataError(f"{path} cannot be written: {error.strerror}") from error


def read_json(path: Path) -> dict[str, Any]:
    try:
        value = json.loads(path.read_bytes())
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise DataError(f"{path} is not JSON: {error}") from error
    if not isinstance(value, dict):
        raise DataError(f"{path} holds no JSON object")
    return value
