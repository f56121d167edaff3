"""The keyed head: a message comes back exactly or not at all, and what is no mark of it is refused."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from watermark_samples import OTHER_SECRET, SECRET, bind, draw_feature, draw_message, draw_probe

from tiacam.errors import MessageError
from tiacam.watermark import KeyedHead, Mark, Message, ReferenceHead
from tiacam.watermark.keyed import FEWEST_DIRECTIONS, KeyedParameters

HEAD = KeyedHead()
RNG = np.random.default_rng(0)
FEATURE = draw_feature(RNG)
MESSAGE = draw_message(RNG)
MARK = bind(RNG, FEATURE, MESSAGE)


def test_messages_of_every_length_come_back_exactly() -> None:
    rng = np.random.default_rng(1)
    for bits in range(1, 1025):
        feature, message = draw_feature(rng), draw_message(rng, bits)
        mark = bind(rng, feature, message)
        assert HEAD.read(draw_probe(rng, feature, 0.8), mark, SECRET).message == message


@settings(max_examples=50)
@given(st.integers(8, 1500), st.text(min_size=1, max_size=32))
def test_features_of_any_width_carry_text(width: int, text: str) -> None:
    feature = draw_feature(np.random.default_rng(width), width)
    reading = HEAD.read(feature, HEAD.bind(feature, Message.from_text(text), SECRET), SECRET)
    assert reading.message is not None
    assert reading.message.text == text
    assert reading.agreeing == reading.compared >= FEWEST_DIRECTIONS


def test_the_reading_tells_how_well_the_features_agree() -> None:
    rng = np.random.default_rng(2)
    found = [HEAD.read(draw_probe(rng, FEATURE, 0.7), MARK, SECRET) for _ in range(50)]
    assert all(reading.compared == 512 for reading in found)
    # two bits of magnitude keep 0.95 of a cosine; signs agree with probability 1 - arccos(0.7) / π
    assert np.mean([reading.correlation for reading in found]) == pytest.approx(0.95 * 0.7, abs=0.02)
    assert np.mean([reading.agreeing for reading in found]) / 512 == pytest.approx(0.747, abs=0.02)


def test_the_scale_of_the_feature_does_not_matter() -> None:
    assert HEAD.read(37.5 * FEATURE, MARK, SECRET).message == MESSAGE


def test_two_records_of_one_picture_and_message_share_nothing() -> None:
    again = HEAD.bind(FEATURE, MESSAGE, SECRET)
    assert again.salt != MARK.salt
    assert again.helper != MARK.helper
    same = np.unpackbits(np.frombuffer(again.helper, np.uint8) ^ np.frombuffer(MARK.helper, np.uint8))
    assert abs(same.mean() - 0.5) < 5 * 0.5 / np.sqrt(len(same))


def test_one_salt_with_two_seeds_hides_the_message_twice() -> None:
    first, second = (HEAD.bind(FEATURE, MESSAGE, SECRET, salt=MARK.salt, seed=seed) for seed in (1, 2))
    assert first.helper != second.helper
    assert HEAD.read(FEATURE, first, SECRET).message == HEAD.read(FEATURE, second, SECRET).message == MESSAGE


def test_another_secret_reads_nothing() -> None:
    assert HEAD.read(FEATURE, MARK, OTHER_SECRET).message is None


def test_the_opposite_feature_reads_nothing() -> None:
    assert HEAD.read(-FEATURE, MARK, SECRET).message is None


def test_no_damaged_byte_gives_a_message() -> None:
    for place in range(len(MARK.helper)):
        helper = bytearray(MARK.helper)
        helper[place] ^= 0x10
        assert HEAD.read(FEATURE, replace(MARK, helper=bytes(helper)), SECRET).message is None


@pytest.mark.parametrize("salt", [bytes(16), b""])
def test_another_salt_gives_no_message(salt: bytes) -> None:
    assert HEAD.read(FEATURE, replace(MARK, salt=salt), SECRET).message is None


def test_the_seal_of_another_record_gives_no_message() -> None:
    other = bind(RNG, FEATURE, draw_message(RNG))
    size = KeyedParameters(512).masked_bytes
    mixed = replace(MARK, helper=MARK.helper[:size] + other.helper[size:])
    assert HEAD.read(FEATURE, mixed, SECRET).message is None


@pytest.mark.parametrize("length", [0, 1, 192, 208])
def test_helper_data_that_is_too_short_is_refused(length: int) -> None:
    with pytest.raises(MessageError, match="helper data has"):
        HEAD.read(FEATURE, replace(MARK, helper=MARK.helper[:length]), SECRET)


def test_a_mark_of_another_head_is_refused() -> None:
    other = ReferenceHead().bind(FEATURE, MESSAGE)
    with pytest.raises(MessageError, match="reference-1"):
        HEAD.read(FEATURE, other, SECRET)
    with pytest.raises(MessageError, match="keyed-1"):
        ReferenceHead().read(FEATURE, MARK)


@pytest.mark.parametrize("width", [256, 513, 1280])
def test_a_feature_of_another_width_is_refused(width: int) -> None:
    with pytest.raises(MessageError, match="another model"):
        HEAD.read(draw_feature(RNG, width), MARK, SECRET)


@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"directions": 512},
        {"directions": "many", "seed_bits": 48},
        {"directions": 500, "seed_bits": 48},
        {"directions": 32, "seed_bits": 48},
        {"directions": 512, "seed_bits": 8},
        {"directions": 512, "seed_bits": 65},
    ],
)
def test_parameters_that_make_no_code_are_refused(parameters: dict[str, int | float | str]) -> None:
    with pytest.raises(MessageError):
        HEAD.read(FEATURE, replace(MARK, parameters=parameters), SECRET)


def test_parameters_cannot_be_exchanged() -> None:
    other = replace(MARK, parameters={"directions": 512, "seed_bits": 47})
    assert HEAD.read(FEATURE, other, SECRET).message is None


def test_a_mark_survives_json() -> None:
    assert Mark.from_json(MARK.to_json()) == MARK
    assert HEAD.read(FEATURE, Mark.from_json(MARK.to_json()), SECRET).message == MESSAGE
