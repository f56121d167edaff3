"""The seal: the right key, salt, seed and bound data open it, anything else gives nothing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from watermark_samples import OTHER_SECRET, SECRET

from tiacam.watermark import Message
from tiacam.watermark.seal import HEADER_BYTES, TAG_BYTES, keystream, message_key, seal, unseal

SALT = bytes(16)
SEED = 0x1234_5678_9ABC
BOUND = b"keyed-1 512 48"
KEY = message_key(SECRET, SALT, SEED)
MESSAGE = Message.from_text("owner 4711")
messages = st.integers(1, 1024).flatmap(
    lambda bits: st.integers(0, (1 << bits) - 1).map(lambda value: Message(value, bits))
) | st.text(min_size=1, max_size=32).map(Message.from_text)


@given(messages)
def test_a_sealed_message_opens_exactly(message: Message) -> None:
    sealed = seal(message, KEY, BOUND)
    assert unseal(sealed, KEY, BOUND) == message
    assert len(sealed) == HEADER_BYTES + len(message.data) + TAG_BYTES


@pytest.mark.parametrize(
    "key",
    [
        message_key(OTHER_SECRET, SALT, SEED),
        message_key(SECRET, bytes(15) + b"\1", SEED),
        message_key(SECRET, SALT, SEED ^ 1),
    ],
    ids=["secret", "salt", "seed"],
)
def test_another_secret_salt_or_seed_opens_nothing(key: bytes) -> None:
    assert unseal(seal(MESSAGE, KEY, BOUND), key, BOUND) is None


def test_other_bound_data_opens_nothing() -> None:
    assert unseal(seal(MESSAGE, KEY, BOUND), KEY, BOUND + b" ") is None


def test_no_byte_can_be_changed_or_cut_off() -> None:
    sealed = seal(MESSAGE, KEY, BOUND)
    for place in range(len(sealed)):
        damaged = bytearray(sealed)
        damaged[place] ^= 1
        assert unseal(bytes(damaged), KEY, BOUND) is None
        assert unseal(sealed[:place], KEY, BOUND) is None


def test_each_purpose_has_its_own_stream() -> None:
    streams = {keystream(SECRET, SALT, purpose, 32) for purpose in (b"directions", b"helper", b"message")}
    assert len(streams) == 3
    assert KEY not in streams
