"""The record's format: pinned by vectors, and exact for anything that may be stored."""

from __future__ import annotations

import base64
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from registry_samples import KEY, make_draft, make_mark

from tiacam.errors import DamagedRegistryError, RegistryError
from tiacam.registry import Draft, OwnerKey, Record
from tiacam.watermark.mark import Mark

VECTORS = [
    vector
    for name in ("record-1.json", "record-2.json")
    for vector in json.loads((Path(__file__).parent.parent / "vectors" / name).read_text(encoding="utf-8"))
]

TEXT = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]))
marks = st.builds(
    Mark,
    head=st.text(max_size=8),
    parameters=st.dictionaries(
        st.text(max_size=5),
        st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5),
    ),
    salt=st.binary(max_size=16),
    helper=st.binary(max_size=64),
)
drafts = st.builds(
    Draft,
    model=TEXT.filter(bool),
    mark=marks,
    feature=st.integers(1, 300).map(lambda width: np.random.default_rng(width).standard_normal(width)),
    bits=st.integers(1, 1024),
    media_type=st.none() | TEXT,
    sha256=st.none() | st.binary(min_size=32, max_size=32).map(bytes.hex),
    note=TEXT,
    landmarks=st.binary(max_size=64),
    manifest=st.binary(max_size=64),
)


def sign_vector(vector: dict[str, Any]) -> Record:
    given_ = vector["draft"]
    decoded = {"mark": Mark.from_json(given_["mark"]), "feature": np.array(given_["feature"])}
    attached = {name: base64.b64decode(given_[name]) for name in ("landmarks", "manifest") if name in given_}
    draft = Draft(**given_ | decoded | attached)
    key = OwnerKey(bytes.fromhex(vector["secret"]))
    return Record.sign(draft, key, bytes.fromhex(vector["previous"]), vector["created_at"])


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["name"])
def test_the_format_gives_exactly_the_pinned_bytes(vector: dict[str, Any]) -> None:
    record = sign_vector(vector)
    assert record.canonical_bytes() == vector["canonical"].encode()
    assert record.id == vector["id"]
    assert record.hash.hex() == vector["hash"]
    assert base64.b64encode(record.signature).decode() == vector["signature"]
    assert base64.b64encode(record.owner).decode() == vector["owner"]
    assert OwnerKey(bytes.fromhex(vector["secret"])).head_secret.hex() == vector["head_secret"]


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["name"])
def test_the_pinned_record_is_read_back_and_its_signature_holds(vector: dict[str, Any]) -> None:
    record = Record.from_json(
        json.loads(vector["canonical"]) | {"id": vector["id"], "signature": vector["signature"]}
    )
    assert record == sign_vector(vector)
    assert record.is_signed()


@given(draft=drafts, previous=st.binary(min_size=32, max_size=32))
def test_any_record_survives_json_exactly(draft: Draft, previous: bytes) -> None:
    record = Record.sign(draft, KEY, previous)
    again = Record.from_json(json.loads(json.dumps(record.to_json())))
    assert again == record
    assert again.canonical_bytes() == record.canonical_bytes()
    assert again.is_signed()


def test_the_id_depends_on_the_salt_and_not_on_time_or_place() -> None:
    draft = make_draft(1, mark=make_mark(bytes(16)))
    first = Record.sign(draft, KEY, bytes(32), "2026-01-01T00:00:00.000000Z")
    later = Record.sign(draft, KEY, bytes([1]) * 32, "2027-01-01T00:00:00.000000Z")
    other = Record.sign(replace(draft, mark=make_mark(bytes([1]) * 16)), KEY, bytes(32))
    assert first.id == later.id
    assert first != later
    assert other.id != first.id


@pytest.mark.parametrize(
    "change",
    [{"note": "mine"}, {"bits": 101}, {"model": "tiny-2"}, {"media_type": "image/png"}, {"sha256": "0" * 64}],
)
def test_an_edited_export_no_longer_fits_its_id(change: dict[str, Any]) -> None:
    record = Record.sign(make_draft(), KEY, bytes(32))
    with pytest.raises(DamagedRegistryError, match="edited"):
        Record.from_json(record.to_json() | change)


@pytest.mark.parametrize("change", [{"created_at": "2020-01-01T00:00:00.000000Z"}, {"previous": "11" * 32}])
def test_time_and_place_are_covered_by_the_signature(change: dict[str, Any]) -> None:
    record = Record.sign(make_draft(), KEY, bytes(32))
    assert not Record.from_json(record.to_json() | change).is_signed()


@pytest.mark.parametrize(
    "change",
    [
        {"format": "tiacam-record-9"},
        {"bits": 100.0},
        {"bits": None},
        {"feature": "AAA"},
        {"feature": ""},
        {"owner": "AAAA"},
        {"previous": "zz"},
        {"signature": ""},
        {"created_at": "yesterday"},
        {"mark": 5},
        {"note": None},
    ],
)
def test_a_malformed_record_is_refused(change: dict[str, Any]) -> None:
    record = Record.sign(make_draft(), KEY, bytes(32))
    with pytest.raises(DamagedRegistryError):
        Record.from_json(record.to_json() | change)


def test_a_record_without_a_field_says_which() -> None:
    value = Record.sign(make_draft(), KEY, bytes(32)).to_json()
    del value["owner"]
    with pytest.raises(DamagedRegistryError, match="'owner' is missing"):
        Record.from_json(value)


@pytest.mark.parametrize(
    "change",
    [
        {"feature": np.zeros(4)},
        {"feature": np.array([np.nan, 1.0])},
        {"feature": np.array([np.inf, 1.0])},
        {"feature": np.ones((2, 2))},
        {"feature": np.array([])},
        {"bits": 0},
        {"bits": True},
        {"model": ""},
        {"note": "\ud800"},
        {"note": "\0"},
        {"model": "a\0"},
        {"media_type": "\0"},
        {"sha256": "ABC"},
        {"mark": Mark("keyed-1", {"scale": float("nan")}, b"", b"")},
    ],
)
def test_what_could_not_be_read_back_is_not_accepted(change: dict[str, Any]) -> None:
    with pytest.raises(RegistryError):
        make_draft(**change)


def test_a_feature_of_any_length_is_stored_as_a_unit_vector_that_nobody_can_write_to() -> None:
    record = Record.sign(make_draft(feature=np.array([30000.0, 40000.0])), KEY, bytes(32))
    np.testing.assert_allclose(record.feature, [0.6, 0.8], atol=1e-3)
    assert record.feature.dtype == np.float16
    assert not record.feature.flags.writeable


def test_the_time_is_in_utc_with_microseconds() -> None:
    assert len(Record.sign(make_draft(), KEY, bytes(32)).created_at) == len("2026-01-31T12:00:00.000000Z")
