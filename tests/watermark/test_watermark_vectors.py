"""The heads' formats, pinned: the vectors give exactly these bytes, and these bytes give the message back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import make_watermark_vectors
import numpy as np
import pytest
from numpy.typing import NDArray

from tiacam.watermark import KeyedHead, Mark, Message, ReferenceHead
from tiacam.watermark.code import polar_code
from tiacam.watermark.reference import ReferenceParameters, unpack

VECTORS = Path(__file__).parent.parent / "vectors"
KEYED = json.loads((VECTORS / "keyed-1.json").read_text(encoding="utf-8"))
REFERENCE = json.loads((VECTORS / "reference-1.json").read_text(encoding="utf-8"))


def by_name(vector: dict[str, Any]) -> str:
    return str(vector["name"])


def message_of(vector: dict[str, Any]) -> Message:
    value = vector["message"]
    return Message(int(value["hex"], 16), value["bits"], is_text=value.get("text") is not None)


def feature_of(vector: dict[str, Any], name: str = "feature") -> NDArray[np.float32]:
    return np.array(vector[name], np.float32)


@pytest.mark.parametrize("vector", KEYED, ids=by_name)
def test_binding_gives_exactly_the_pinned_helper_data(vector: dict[str, Any]) -> None:
    salt = Mark.from_json(vector["mark"]).salt
    secret = bytes.fromhex(vector["secret"])
    mark = KeyedHead().bind(feature_of(vector), message_of(vector), secret, salt=salt, seed=vector["seed"])
    assert mark.to_json() == vector["mark"]


@pytest.mark.parametrize("vector", KEYED, ids=by_name)
def test_the_pinned_helper_data_gives_the_message_back(vector: dict[str, Any]) -> None:
    mark, secret = Mark.from_json(vector["mark"]), bytes.fromhex(vector["secret"])
    assert KeyedHead().read(feature_of(vector), mark, secret).message == message_of(vector)
    reading = KeyedHead().read(feature_of(vector, "probe"), mark, secret)
    assert reading.message == message_of(vector)
    assert reading.agreeing == vector["reading"]["agreeing"]
    assert reading.correlation == pytest.approx(vector["reading"]["correlation"], abs=2e-5)


@pytest.mark.parametrize("vector", KEYED, ids=by_name)
def test_the_code_gives_exactly_the_pinned_codeword(vector: dict[str, Any]) -> None:
    parameters = vector["mark"]["parameters"]
    codeword = polar_code(parameters["directions"], parameters["seed_bits"]).encode(vector["seed"])
    assert np.packbits(codeword).tobytes().hex() == vector["codeword"]


@pytest.mark.parametrize("vector", KEYED, ids=by_name)
def test_rounding_cannot_change_a_bit_of_the_vectors(vector: dict[str, Any]) -> None:
    secret, salt = bytes.fromhex(vector["secret"]), Mark.from_json(vector["mark"]).salt
    assert (
        make_watermark_vectors.distance_to_edges(feature_of(vector), secret, salt)
        > make_watermark_vectors.MARGIN / 2
    )


@pytest.mark.parametrize("vector", REFERENCE, ids=by_name)
def test_the_pinned_signature_gives_the_message_back(vector: dict[str, Any]) -> None:
    mark = Mark.from_json(vector["mark"])
    assert ReferenceHead().read(feature_of(vector), mark).message == message_of(vector)


@pytest.mark.parametrize("vector", REFERENCE, ids=by_name)
def test_fitting_gives_the_pinned_signature_up_to_rounding(vector: dict[str, Any]) -> None:
    pinned = Mark.from_json(vector["mark"])
    chosen = {name: pinned.parameters[name] for name in ("width", "steps", "rate", "penalty", "spread")}
    head = ReferenceHead(ReferenceParameters(**chosen))  # type: ignore[arg-type]
    mark = head.bind(feature_of(vector), message_of(vector), salt=pinned.salt)
    assert dict(mark.parameters) == dict(pinned.parameters)
    found, wanted = unpack(mark), unpack(pinned)
    for name in ("codes", "weight", "bias"):
        assert getattr(found, name) == pytest.approx(getattr(wanted, name), abs=1e-4)


def test_the_generator_writes_what_is_pinned(tmp_path: Path) -> None:
    make_watermark_vectors.main(tmp_path)
    for name in ("message.json", "keyed-1.json"):
        assert (tmp_path / name).read_bytes() == (VECTORS / name).read_bytes()
