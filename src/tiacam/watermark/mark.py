"""What a head leaves behind for one picture and one message: the part of a record that reading needs."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

SALT_BYTES = 16


@dataclass(frozen=True)
class Mark:
    """The stored signature of one picture-message pair; `head` names the algorithm and its version."""

    head: str
    parameters: Mapping[str, int | float | str]
    salt: bytes
    helper: bytes

    def to_json(self) -> dict[str, Any]:
        return {
            "head": self.head,
            "parameters": dict(self.parameters),
            "salt": base64.b64encode(self.salt).decode(),
            "helper": base64.b64encode(self.helper).decode(),
        }

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Mark:
        return cls(
            head=str(value["head"]),
            parameters=dict(value["parameters"]),
            salt=base64.b64decode(value["salt"], validate=True),
            helper=base64.b64decode(value["helper"], validate=True),
        )
