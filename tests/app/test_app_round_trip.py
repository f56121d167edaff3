"""Registering and reading back: whatever holds the picture, exactly the message or "not registered"."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from tiacam.app import Tiacam
from tiacam.errors import MessageError, RecordNotFoundError
from tiacam.watermark import Message

Pixels = NDArray[np.uint8]
Open = Callable[..., Tiacam]


def as_source(path: Path, kind: str) -> Any:
    return {
        "path": path,
        "text path": str(path),
        "bytes": path.read_bytes(),
        "file": io.BytesIO(path.read_bytes()),
        "array": np.asarray(Image.open(path)),
        "image": Image.open(path),
    }[kind]


@pytest.mark.parametrize("kind", ["path", "text path", "bytes", "file", "array", "image"])
def test_a_picture_is_read_back_from_whatever_holds_it(
    open_tiacam: Open, photo_files: dict[str, Path], kind: str
) -> None:
    tiacam = open_tiacam()
    record = tiacam.register(as_source(photo_files["cat"], kind), "owner 4711")
    verdict = tiacam.read(as_source(photo_files["cat"], kind))
    assert verdict.registered
    assert verdict.record_id == record.id
    assert verdict.message is not None
    assert verdict.message.text == "owner 4711"
    assert verdict.cosine > 0.9  # what is registered is the mean of the picture and of likely photos of it
    assert verdict.p_value <= 1e-6
    assert verdict.view == "whole"
    assert verdict.milliseconds > 0


def test_each_picture_gives_its_own_message(open_tiacam: Open, pictures: dict[str, Pixels]) -> None:
    tiacam = open_tiacam()
    records = {name: tiacam.register(pixels, name) for name, pixels in pictures.items()}
    for name, pixels in pictures.items():
        verdict = tiacam.read(pixels)
        assert (verdict.record_id, str(verdict.message)) == (records[name].id, name)


@pytest.mark.parametrize("bits", [1, 100, 1024])
def test_messages_of_any_length_come_back(open_tiacam: Open, pictures: dict[str, Pixels], bits: int) -> None:
    tiacam = open_tiacam()
    message = Message.from_int((1 << bits) - 1, bits)
    assert tiacam.register(pictures["coffee"], message).bits == bits
    assert tiacam.read(pictures["coffee"]).message == message


@pytest.mark.parametrize("quality", [50, 80])
def test_a_small_compressed_copy_is_read(
    open_tiacam: Open, pictures: dict[str, Pixels], quality: int
) -> None:
    tiacam = open_tiacam()
    record = tiacam.register(pictures["astronaut"], b"\x01\x02")
    copy = io.BytesIO()
    Image.fromarray(pictures["astronaut"]).resize((300, 300)).save(copy, "JPEG", quality=quality)
    verdict = tiacam.read(copy.getvalue())
    assert verdict.record_id == record.id
    assert verdict.message == Message.from_bytes(b"\x01\x02")


def test_a_picture_inside_a_frame_is_read_from_where_it_is(
    open_tiacam: Open, pictures: dict[str, Pixels]
) -> None:
    tiacam = open_tiacam(false_claim_rate=1e-30)  # the whole frame alone would do for one in a million
    record = tiacam.register(pictures["cat"], "framed")
    scene = Image.fromarray(pictures["coffee"]).resize((1000, 600))
    scene.paste(Image.fromarray(pictures["cat"]).resize((600, 360)), (200, 120))
    verdict = tiacam.read(scene)
    assert verdict.record_id == record.id
    assert verdict.view != "whole"
    assert np.array(verdict.corners) == pytest.approx(
        np.array([(0.2, 0.2), (0.8, 0.2), (0.8, 0.8), (0.2, 0.8)]), abs=0.05
    )


def test_an_unrelated_picture_is_not_registered(open_tiacam: Open, pictures: dict[str, Pixels]) -> None:
    tiacam = open_tiacam()
    for name in ("cat", "coffee", "rocket"):
        tiacam.register(pictures[name], name)
    verdict = tiacam.read(pictures["galaxies"])
    assert not verdict.registered
    assert (verdict.record_id, verdict.message, verdict.view) == (None, None, None)
    assert verdict.p_value > 1e-6


def test_in_an_empty_registry_nothing_is_registered(open_tiacam: Open, pictures: dict[str, Pixels]) -> None:
    verdict = open_tiacam().read(pictures["cat"])
    assert not verdict.registered
    assert verdict.p_value == 1.0


def test_verifying_answers_for_the_named_record_alone(open_tiacam: Open, pictures: dict[str, Pixels]) -> None:
    tiacam = open_tiacam()
    cat, coffee = (tiacam.register(pictures[name], name) for name in ("cat", "coffee"))
    verdict = tiacam.verify(pictures["cat"], cat.id)
    assert verdict.registered
    assert str(verdict.message) == "cat"
    other = tiacam.verify(pictures["cat"], coffee.id)
    assert not other.registered
    assert other.message is None


def test_verifying_an_unknown_record_is_an_error(open_tiacam: Open, pictures: dict[str, Pixels]) -> None:
    with pytest.raises(RecordNotFoundError, match="tianone"):
        open_tiacam().verify(pictures["cat"], "tianone")


def test_a_record_says_what_was_registered(open_tiacam: Open, photo_files: dict[str, Path]) -> None:
    tiacam = open_tiacam()
    record = tiacam.register(photo_files["rocket"], 5, note="launch")
    assert (record.bits, record.note, record.media_type) == (3, "launch", "image/jpeg")
    assert record.model == tiacam.model.id
    assert record.owner == tiacam.key.public
    assert record.sha256 is not None
    assert tiacam.registry.get(record.id) == record


@pytest.mark.parametrize("message", ["x" * 129, b"", "", -1, 1 << 1024, 1.5])
def test_a_message_that_cannot_be_carried_is_refused_and_nothing_stored(
    open_tiacam: Open, pictures: dict[str, Pixels], message: Any
) -> None:
    tiacam = open_tiacam()
    with pytest.raises(MessageError):
        tiacam.register(pictures["cat"], message)
    assert len(tiacam.registry) == 0
