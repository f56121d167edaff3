"""Whatever is done to the file behind the registry's back, the chain shows it."""

from __future__ import annotations

import pytest
from registry_samples import KEY, Place, edit, fill, make_draft

from tiacam.errors import DamagedRegistryError
from tiacam.registry import OwnerKey, Record, Registry
from tiacam.registry.rows import INSERT, to_row

COUNT = 6


def complaint(place: Place, noted_head: bytes | None = None) -> str:
    with Registry.open(place) as registry, pytest.raises(DamagedRegistryError) as caught:
        registry.verify_chain(noted_head)
    return str(caught.value)


def swap(first: int, second: int) -> list[str]:
    return [
        f"UPDATE record SET seq = 99 WHERE seq = {first}",
        f"UPDATE record SET seq = {first} WHERE seq = {second}",
        f"UPDATE record SET seq = {second} WHERE seq = 99",
        f"UPDATE sqlite_sequence SET seq = {COUNT}",
    ]


def insert_behind_its_back(place: Place, number: int, record: Record) -> None:
    with Registry.open(place) as registry:
        database = registry._database
        with database.transaction():
            database.execute(INSERT, *database.adapt(to_row(number, record)))


def test_an_untouched_chain_verifies_and_reports_its_head(place: Place) -> None:
    records = fill(place, COUNT)
    with Registry.open(place) as registry:
        report = registry.verify_chain()
    assert (report.records, report.head, report.owners) == (COUNT, records[-1].hash, (KEY.public,))


def test_an_empty_chain_verifies(place: Place) -> None:
    with Registry.open(place) as registry:
        assert registry.verify_chain().records == 0


@pytest.mark.parametrize(
    "change",
    [
        "note = 'mine'",
        "model = 'other'",
        "bits = bits + 1",
        "created_at = '2001-01-01T00:00:00.000000Z'",
        "mark = replace(mark, 'keyed-1', 'keyed-2')",
        "mark = 'no json'",
        "mark = '[]'",
        "feature = x'003c' || substr(feature, 3)",
        "feature = x'00'",
        "feature = 'text'",
        "media_type = 'image/png'",
        "sha256 = '" + "0" * 64 + "'",
        "owner = zeroblob(32)",
        "previous = randomblob(32)",
        "previous = substr(hex(previous), 1, 32)",
        "signature = zeroblob(64)",
        "signature = x''",
        "id = 'tiaaaaaaaaa'",
        "note = cast(x'ff' AS TEXT)",
    ],
)
def test_an_edit_of_any_field_is_found(place: Place, change: str) -> None:
    fill(place, COUNT)
    edit(place, f"UPDATE record SET {change} WHERE seq = 4")
    assert complaint(place)


def test_an_edited_record_is_named(place: Place) -> None:
    records = fill(place, COUNT)
    edit(place, "UPDATE record SET note = 'mine' WHERE seq >= 4")
    assert records[3].id in complaint(place)
    assert "edited" in complaint(place)


@pytest.mark.parametrize("number", [1, 3, COUNT])
def test_a_deleted_record_is_noticed(place: Place, number: int) -> None:
    fill(place, COUNT)
    edit(place, f"DELETE FROM record WHERE seq = {number}")
    assert "deleted" in complaint(place)


def test_a_deletion_is_noticed_after_renumbering_too(place: Place) -> None:
    records = fill(place, COUNT)
    edit(place, "DELETE FROM record WHERE seq = 3", "UPDATE record SET seq = seq - 1 WHERE seq > 3")
    assert records[3].id in complaint(place)


def test_a_gap_in_the_numbers_alone_is_noticed(place: Place) -> None:
    fill(place, COUNT)
    edit(place, f"UPDATE record SET seq = 10 WHERE seq = {COUNT}")
    assert "renumbered" in complaint(place)


@pytest.mark.parametrize(("first", "second"), [(1, 2), (2, 3), (2, 5), (5, 6)])
def test_two_swapped_records_are_reported_as_reordered(place: Place, first: int, second: int) -> None:
    records = fill(place, COUNT)
    edit(place, *swap(first, second))
    assert "reordered" in complaint(place)
    assert records[second - 1].id in complaint(place)


def test_of_several_faults_the_first_is_named(place: Place) -> None:
    records = fill(place, COUNT)
    edit(place, "UPDATE record SET note = 'mine' WHERE seq = 6", *swap(2, 3))
    assert f"record {records[2].id} (number 2)" in complaint(place)


def test_the_content_of_two_records_cannot_be_exchanged(place: Place) -> None:
    fill(place, COUNT)
    edit(
        place,
        "CREATE TEMP TABLE copied AS SELECT * FROM record WHERE seq IN (2, 3)",
        "UPDATE record SET note = (SELECT note FROM copied WHERE seq = 5 - record.seq) WHERE seq IN (2, 3)",
    )
    assert "edited" in complaint(place)


def test_a_record_signed_by_somebody_else_in_place_of_another_breaks_the_chain(place: Place) -> None:
    records = fill(place, COUNT)
    forged = Record.sign(make_draft(), OwnerKey.generate(), previous=records[1].hash)
    edit(place, "DELETE FROM record WHERE seq = 3")
    insert_behind_its_back(place, 3, forged)
    assert f"record {records[3].id} (number 4)" in complaint(place)


def test_records_cut_from_the_end_with_their_count_are_found_by_a_noted_head(place: Place) -> None:
    records = fill(place, COUNT)
    edit(place, "DELETE FROM record WHERE seq = 6", "UPDATE sqlite_sequence SET seq = 5")
    with Registry.open(place) as registry:
        assert registry.verify_chain().records == 5
        assert registry.verify_chain(noted_head=records[2].hash).records == 5
    assert "noted head" in complaint(place, noted_head=records[-1].hash)


def test_a_chain_that_grew_still_contains_the_noted_head(place: Place) -> None:
    fill(place, COUNT)
    with Registry.open(place) as registry:
        noted = registry.verify_chain().head
        registry.add(make_draft(), KEY)
        assert registry.verify_chain(noted).records == COUNT + 1
