"""Repeatable registrations: who names a registration can send it twice and gets one record."""

from __future__ import annotations

import hashlib
from typing import TypedDict

import numpy as np
from numpy.typing import NDArray

from tiacam.watermark import Message
from tiacam.watermark.keyed import SEED_BITS
from tiacam.watermark.mark import SALT_BYTES
from tiacam.watermark.seal import keystream


class Draw(TypedDict, total=False):
    """What binding draws at random unless it is given."""

    salt: bytes
    seed: int


def draw(secret: bytes, name: bytes, feature: NDArray[np.float32], message: Message, *beside: bytes) -> Draw:
    """Salt and seed of a registration called `name`, none for one without a name.

    They depend on everything that is registered: two messages never share a key, whatever the caller repeats.
    """
    if not name:
        return {}
    sealed = f"{message.length} {message.value} {message.is_text}".encode()
    digest = hashlib.sha256()
    for part in (name, feature.tobytes(), sealed, *beside):
        digest.update(len(part).to_bytes(8, "big") + part)
    drawn = keystream(secret, digest.digest(), b"repeatable", SALT_BYTES + 8)
    return {"salt": drawn[:SALT_BYTES], "seed": int.from_bytes(drawn[SALT_BYTES:], "big") >> (64 - SEED_BITS)}
