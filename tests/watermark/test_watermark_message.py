"""Messages: 1 to 1,024 bits, the same in every notation."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tiacam.errors import MessageError
from tiacam.watermark import Message

VECTORS = json.loads((Path(__file__).parent.parent / "vectors" / "message.json").read_text(encoding="utf-8"))
messages = st.integers(1, 1024).flatmap(
    lambda bits: st.integers(0, (1 << bits) - 1).map(lambda value: Message(value, bits))
)


@given(messages)
def test_bits_spell_the_message(message: Message) -> None:
    text = "".join(map(str, message.bits))
    assert len(message.bits) == message.length
    assert Message.from_bits(message.bits) == Message.from_bits(text) == message
    assert Message.from_bits(f" {text[:3]}_{text[3:]}\n") == message


@given(messages)
def test_hexadecimal_and_length_spell_the_message(message: Message) -> None:
    assert len(message.hex) == -(-message.length // 4)
    assert Message.from_int(int(message.hex, 16), message.length) == message
    assert Message.from_hex(f"0x{message.hex.upper()}").value == message.value


@given(messages)
def test_an_integer_and_its_length_spell_the_message(message: Message) -> None:
    assert Message.from_int(message.value, message.length) == message
    shortest = Message.from_int(message.value)
    assert shortest.value == message.value
    assert shortest.length == max(1, message.value.bit_length())


@given(st.binary(min_size=1, max_size=128))
def test_bytes_come_back(data: bytes) -> None:
    message = Message.from_bytes(data)
    assert message.data == data
    assert message.length == 8 * len(data)
    assert message.text is None
    assert Message.parse(bytearray(data)) == Message.parse(memoryview(data)) == message


@given(st.text(min_size=1, max_size=32))
def test_text_comes_back(text: str) -> None:
    message = Message.parse(text)
    assert message.text == text == str(message)
    assert message.data == text.encode()
    assert message != Message.from_bytes(text.encode())


@given(messages)
def test_a_message_is_taken_as_it_is(message: Message) -> None:
    assert Message.parse(message) is message


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["name"])
def test_a_notation_gives_exactly_the_pinned_message(vector: dict[str, Any]) -> None:
    source = vector["source"]
    given_ = bytes.fromhex(source) if vector["notation"] == "bytes" else source
    message = getattr(Message, f"from_{vector['notation']}")(given_)
    assert (message.length, message.hex, message.text) == (vector["bits"], vector["hex"], vector["text"])
    assert message.data.hex() == vector["data"]


def test_a_message_that_is_no_text_prints_as_hexadecimal() -> None:
    assert str(Message.from_int(10, 5)) == "0x0a"


def test_bits_may_be_any_sequence_of_zeros_and_ones() -> None:
    wanted = Message(0b101, 3)
    assert Message.from_bits([True, False, True]) == wanted
    assert Message.from_bits(np.array([1, 0, 1], np.uint8)) == wanted
    assert Message.from_bits(np.array([True, False, True])) == wanted


@pytest.mark.parametrize("bits", [0, 1025, -1])
def test_a_length_outside_of_1_to_1024_bits_is_refused(bits: int) -> None:
    with pytest.raises(MessageError, match="1 to 1024"):
        Message(0, bits)


@pytest.mark.parametrize(
    "make",
    [
        lambda: Message.from_text(""),
        lambda: Message.from_text("x" * 129),
        lambda: Message.from_bytes(b""),
        lambda: Message.from_bytes(bytes(129)),
        lambda: Message.from_hex("0" * 257),
        lambda: Message.from_bits("0" * 1025),
        lambda: Message.from_int(1 << 1024),
        lambda: Message.from_int(1 << 20_000),
    ],
)
def test_an_empty_or_too_long_message_is_refused(make: Any) -> None:
    with pytest.raises(MessageError, match="a picture carries 1 to 1024"):
        make()


@pytest.mark.parametrize("digits", ["", "0x", "g", "12 34 zz", "-1", "1.5", "٣"])
def test_what_is_no_hexadecimal_number_is_refused(digits: str) -> None:
    with pytest.raises(MessageError, match="hexadecimal"):
        Message.from_hex(digits)


@pytest.mark.parametrize("bits", ["", "012", "abc", [0, 2], [10], [-1], [0.5], []])
def test_what_is_no_string_of_bits_is_refused(bits: Any) -> None:
    with pytest.raises(MessageError, match="bits 0 and 1"):
        Message.from_bits(bits)


@pytest.mark.parametrize("number", [-1, -(1 << 20_000)], ids=["small", "vast"])
def test_a_negative_number_is_refused(number: int) -> None:
    with pytest.raises(MessageError, match="negative"):
        Message.from_int(number)


@pytest.mark.parametrize(("number", "bits"), [(2, 1), (1 << 20_000, 8)], ids=["small", "vast"])
def test_a_number_that_does_not_fit_is_refused(number: int, bits: int) -> None:
    with pytest.raises(MessageError, match=f"does not fit into a message of {bits} bits"):
        Message.from_int(number, bits)


def test_text_that_has_no_utf8_is_refused() -> None:
    with pytest.raises(MessageError, match="UTF-8"):
        Message.from_text("half a pair \ud800")


@pytest.mark.parametrize(("value", "bits"), [(0xFF, 8), (1, 7)])
def test_bits_that_are_no_text_cannot_be_called_text(value: int, bits: int) -> None:
    with pytest.raises(MessageError, match="text"):
        Message(value, bits, is_text=True)


@pytest.mark.parametrize("value", [None, 1.5, True, ["a"]])
def test_a_value_of_another_type_is_refused(value: Any) -> None:
    with pytest.raises(MessageError, match="wanted text, bytes, an integer or a Message"):
        Message.parse(value)
