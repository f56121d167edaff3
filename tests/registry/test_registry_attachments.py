"""Landmarks and manifests: what a record of the second format carries, and that nobody can exchange them."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from registry_samples import KEY, Place, edit, fill, make_draft

from tiacam.errors import DamagedRegistryError, RegistryError
from tiacam.registry import Draft, Record, Registry

LANDMARKS, MANIFEST = bytes(range(256)) * 8, b"\x00\x00jumb c2pa" * 50


def make_full_draft() -> Draft:
    return make_draft(landmarks=LANDMARKS, manifest=MANIFEST)


@pytest.mark.parametrize(
    ("changes", "name"),
    [
        ({}, "tiacam-record-1"),
        ({"landmarks": b"l"}, "tiacam-record-2"),
        ({"manifest": b"m"}, "tiacam-record-2"),
    ],
)
def test_the_second_format_is_used_only_where_it_says_something(changes: dict[str, bytes], name: str) -> None:
    record = Record.sign(make_draft(**changes), KEY, bytes(32))
    assert record.to_json()["format"] == name
    assert Record.from_json(record.to_json()) == record
    assert record.is_signed()


def test_landmarks_and_manifest_come_back_byte_for_byte(place: Place) -> None:
    with Registry.open(place) as registry:
        plain, full = registry.add_many([make_draft(), make_full_draft()], KEY)
    with Registry.open(place) as registry:
        assert registry.get(full.id).landmarks == LANDMARKS
        assert registry.manifest(full.id) == MANIFEST
        assert registry.get(plain.id).landmarks == b""
        assert registry.manifest(plain.id) == b""
        assert registry.verify_chain().records == 2


def test_two_records_may_have_the_same_manifest(place: Place) -> None:
    with Registry.open(place) as registry:
        first, second = registry.add_many([make_full_draft(), make_full_draft()], KEY)
        assert registry.manifest(first.id) == registry.manifest(second.id) == MANIFEST


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE record SET landmarks = x'00' WHERE seq = 1",
        "UPDATE record SET landmarks = 5 WHERE seq = 1",
        "UPDATE record SET manifest_sha256 = NULL WHERE seq = 1",
        "UPDATE record SET manifest_sha256 = 'none' WHERE seq = 1",
        "UPDATE manifest SET data = x'00'",
        "DELETE FROM manifest",
    ],
)
def test_an_exchanged_attachment_is_found(place: Place, statement: str) -> None:
    with Registry.open(place) as registry:
        record = registry.add(make_full_draft(), KEY)
    edit(place, statement)
    with Registry.open(place) as registry:
        with pytest.raises(DamagedRegistryError):
            registry.verify_chain()
        with pytest.raises(DamagedRegistryError):
            registry.manifest(record.id)


def test_an_export_carries_both(place: Place, tmp_path: Path) -> None:
    text = io.StringIO()
    with Registry.open(place) as registry, Registry.open(tmp_path / "copy.sqlite") as copy:
        record = registry.add(make_full_draft(), KEY)
        registry.export(text)
        copy.import_(text.getvalue().splitlines())
        assert copy.get(record.id).landmarks == LANDMARKS
        assert copy.manifest(record.id) == MANIFEST


@pytest.mark.parametrize(
    "change", [{"manifest": "AAAA"}, {"manifest": ""}, {"manifest": 5}, {"landmarks": ""}]
)
def test_an_export_with_another_attachment_is_refused(
    place: Place, tmp_path: Path, change: dict[str, object]
) -> None:
    text = io.StringIO()
    with Registry.open(place) as registry:
        registry.add(make_full_draft(), KEY)
        registry.export(text)
    with Registry.open(tmp_path / "copy.sqlite") as copy, pytest.raises(DamagedRegistryError, match="line 1"):
        copy.import_([json.dumps(json.loads(text.getvalue()) | change)])


@pytest.mark.parametrize(
    "change",
    [{"landmarks": bytes(2049)}, {"landmarks": "text"}, {"manifest": bytes(2**20 + 1)}, {"manifest": None}],
)
def test_attachments_that_are_too_large_or_no_bytes_are_refused(change: dict[str, object]) -> None:
    with pytest.raises(RegistryError, match="must be at most"):
        make_draft(**change)


def test_a_plain_record_cannot_be_given_a_manifest_afterwards(place: Place, tmp_path: Path) -> None:
    text = io.StringIO()
    fill(place, 1)
    with Registry.open(place) as registry:
        registry.export(text)
    with Registry.open(tmp_path / "copy.sqlite") as copy, pytest.raises(DamagedRegistryError, match="added"):
        copy.import_([json.dumps(json.loads(text.getvalue()) | {"manifest": "AAAA"})])
