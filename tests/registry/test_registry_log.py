"""The log: what was signed about a registry convicts whoever rewrites it, and proofs hold without the registry."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from registry_samples import KEY, Place, edit, fill, make_draft

from tiacam.errors import DamagedRegistryError, KeyFileError, RegistryError
from tiacam.registry import GrowthProof, OwnerKey, Record, RecordProof, Registry, TreeHead, read_proof
from tiacam.registry.chain import next_time
from tiacam.registry.log.heads import write_json
from tiacam.registry.log.proofs import parse_proof

LOG_KEY = OwnerKey(bytes(range(1, 33)))
COUNT = 6


def complaint(place: Place, noted: TreeHead | None = None) -> str:
    with Registry.open(place) as registry, pytest.raises(DamagedRegistryError) as caught:
        registry.verify_chain(noted=noted)
    return str(caught.value)


def sign(place: Place) -> TreeHead:
    with Registry.open(place) as registry:
        return registry.log.sign_head(LOG_KEY)


def rewrite(place: Place, times: dict[int, str] | None = None, leave_out: int = 0) -> None:
    """What the owner of all keys can do: sign the whole chain anew, with other times or without a record."""
    with Registry.open(place) as registry:
        records = list(registry.records())
    again: list[Record] = []
    for number, record in enumerate(records, start=1):
        if number == leave_out:
            continue
        changed = replace(
            record,
            created_at=(times or {}).get(number, record.created_at),
            previous=again[-1].hash if again else bytes(32),
        )
        again.append(replace(changed, signature=KEY.sign(changed.canonical_bytes())))
    edit(place, "DELETE FROM record", f"UPDATE sqlite_sequence SET seq = {len(again)}")
    with Registry.open(place) as registry, registry._database.transaction():
        from tiacam.registry.exchange import Entry

        for number, record in enumerate(again, start=1):
            registry._insert(number, Entry(record))


def test_a_registry_that_only_grew_agrees_with_all_its_tree_heads(place: Place) -> None:
    sign(place)
    for _ in range(3):
        fill(place, 3)
        sign(place)
    with Registry.open(place) as registry:
        report = registry.verify_chain()
        assert (report.records, report.tree_heads) == (9, 4)
        assert [head.size for head in registry.log.heads()] == [0, 3, 6, 9]
        assert report.root == registry.log.heads()[-1].root


def test_a_record_is_proven_offline_by_a_file(place: Place, tmp_path: Path) -> None:
    records = fill(place, COUNT)
    sign(place)
    with Registry.open(place) as registry:
        for record in records:
            write_json(tmp_path / "proof.json", registry.log.prove(record.id).to_json())
            proof = read_proof(tmp_path / "proof.json")
            proof.verify()
            assert isinstance(proof, RecordProof)
            assert proof.record == record


def test_a_proof_of_another_record_number_or_head_is_refused(place: Place) -> None:
    records = fill(place, COUNT)
    sign(place)
    with Registry.open(place) as registry:
        proof = registry.log.prove(records[2].id)
        other = registry.log.prove(records[3].id)
    stranger = TreeHead(**vars(proof.head) | {"root": bytes(32)}).signed(LOG_KEY)
    edited = replace(proof.record, note="mine")
    for wrong in (
        replace(proof, record=other.record),
        replace(proof, number=4),
        replace(proof, number=7),
        replace(proof, path=other.path),
        replace(proof, head=stranger),
        replace(proof, record=edited),
    ):
        with pytest.raises(DamagedRegistryError):
            wrong.verify()


@pytest.mark.parametrize(
    "change", [{"format": "x"}, {"path": ["00"]}, {"path": 5}, {"number": "x"}, {"head": {}}, {"record": 1}]
)
def test_a_malformed_proof_is_refused(tmp_path: Path, change: dict[str, object]) -> None:
    (record,) = fill(tmp_path / "registry.sqlite", 1)
    sign(tmp_path / "registry.sqlite")
    with Registry.open(tmp_path / "registry.sqlite") as registry:
        value = registry.log.prove(record.id).to_json()
    with pytest.raises(DamagedRegistryError):
        parse_proof(value | change)


def test_a_record_newer_than_the_last_head_says_what_to_do(place: Place) -> None:
    sign(place)
    (record,) = fill(place, 1)
    with Registry.open(place) as registry, pytest.raises(RegistryError, match="prove ID --sign"):
        registry.log.prove(record.id)


def test_growth_is_proven_offline_and_a_rewritten_log_cannot(place: Place) -> None:
    fill(place, COUNT)
    first = sign(place)
    fill(place, 5)
    sign(place)
    with Registry.open(place) as registry:
        proof = parse_proof(json.loads(json.dumps(registry.log.prove_growth(first).to_json())))
    proof.verify()
    assert isinstance(proof, GrowthProof)
    rewrite(place, leave_out=3)
    edit(place, "DELETE FROM tree_head")
    sign(place)
    with Registry.open(place) as registry, pytest.raises(DamagedRegistryError, match="no continuation"):
        registry.log.prove_growth(first)


def test_editing_is_detected(place: Place) -> None:
    fill(place, COUNT)
    sign(place)
    edit(place, "UPDATE record SET note = 'mine' WHERE seq = 3")
    assert "edited" in complaint(place)


def test_deleting_in_the_middle_is_detected_even_when_everything_is_signed_anew(place: Place) -> None:
    fill(place, COUNT)
    sign(place)
    rewrite(place, leave_out=3)
    assert "deleted" in complaint(place)
    fill(place, 1)
    assert "rewritten" in complaint(place)


def test_deleting_the_newest_with_their_count_is_detected(place: Place) -> None:
    fill(place, COUNT)
    noted = sign(place)
    edit(place, "DELETE FROM record WHERE seq = 6", "UPDATE sqlite_sequence SET seq = 5")
    assert "newest were deleted" in complaint(place)
    edit(place, "DELETE FROM tree_head")
    assert "newest were deleted" in complaint(place, noted)


def test_reordering_is_detected(place: Place) -> None:
    fill(place, COUNT)
    sign(place)
    edit(
        place,
        "UPDATE record SET seq = 99 WHERE seq = 2",
        "UPDATE record SET seq = 2 WHERE seq = 3",
        "UPDATE record SET seq = 3 WHERE seq = 99",
        f"UPDATE sqlite_sequence SET seq = {COUNT}",
    )
    assert "reordered" in complaint(place)


def test_back_dating_is_detected_by_the_records_around(place: Place) -> None:
    fill(place, COUNT)
    rewrite(place, times={5: "2020-01-01T00:00:00.000000Z"})
    assert "(number 5) was back-dated" in complaint(place)


def test_back_dating_a_whole_chain_is_detected_by_a_tree_head(place: Place) -> None:
    noted = sign(place)
    fill(place, 2)
    rewrite(place, times={1: "2020-01-01T00:00:00.000000Z", 2: "2020-01-01T00:00:00.000000Z"})
    assert "back-dated" in complaint(place)
    edit(place, "DELETE FROM tree_head")
    assert "back-dated" in complaint(place, noted)


def test_dating_forward_is_detected_by_a_tree_head(place: Place) -> None:
    fill(place, 2)
    rewrite(place, times={2: "2099-01-01T00:00:00.000000Z"})
    sign(place)
    assert "was there already" in complaint(place)


def test_a_clock_that_is_wrong_is_not_written_into_the_chain() -> None:
    clock = datetime(2026, 1, 31, 12, tzinfo=UTC)
    with pytest.raises(RegistryError, match="clock"):
        next_time("2026-01-31T12:06:00.000000Z", clock)
    assert next_time("2026-01-31T12:04:00.000000Z", clock) == "2026-01-31T12:04:00.000000Z"
    assert next_time("", clock) == "2026-01-31T12:00:00.000000Z"


@pytest.mark.parametrize(
    "column", ["body = replace(body, '\"size\":6', '\"size\":5')", "body = '{}'", "body = 'x'"]
)
def test_an_edited_tree_head_is_detected(place: Place, column: str) -> None:
    fill(place, COUNT)
    sign(place)
    edit(place, f"UPDATE tree_head SET {column}")
    assert "tree head" in complaint(place)


def test_a_key_is_given_up_for_another_and_the_old_one_is_refused(place: Place) -> None:
    successor = OwnerKey.generate()
    fill(place, 2)
    with Registry.open(place) as registry:
        registry.log.rotate(KEY, successor)
        with pytest.raises(KeyFileError, match=successor.fingerprint):
            registry.add(make_draft(), KEY)
        registry.add(make_draft(), successor)
        registry.log.sign_head(LOG_KEY)
        report = registry.verify_chain()
        assert (report.records, report.key_events, report.distrusted) == (3, 1, ())


def test_a_record_signed_by_a_key_that_was_given_up_is_detected(place: Place) -> None:
    fill(place, 2)
    with Registry.open(place) as registry:
        registry.log.rotate(KEY, OwnerKey.generate())
    body = edit_out(place, "key_event")
    fill(place, 1)
    put_back(place, "key_event", body)
    assert "given up" in complaint(place)


def test_a_revocation_reaches_back_and_names_what_no_longer_counts(place: Place) -> None:
    records = fill(place, 4)
    with Registry.open(place) as registry:
        registry.log.revoke(KEY.public, KEY, since=2)
        assert registry.verify_chain().distrusted == (records[2].id, records[3].id)


def test_the_successor_may_revoke_and_a_stranger_may_not(place: Place) -> None:
    successor = OwnerKey.generate()
    fill(place, 2)
    with Registry.open(place) as registry:
        registry.log.rotate(KEY, successor)
        registry.log.revoke(KEY.public, successor, since=0)
        with pytest.raises(DamagedRegistryError, match="neither"):
            registry.log.revoke(KEY.public, OwnerKey.generate())
        assert len(registry.verify_chain().distrusted) == 2


def test_a_deleted_key_event_is_detected_by_the_tree_heads(place: Place) -> None:
    fill(place, 2)
    with Registry.open(place) as registry:
        registry.log.revoke(KEY.public, KEY)
        registry.log.sign_head(LOG_KEY)
    edit(place, "DELETE FROM key_event")
    assert "key events" in complaint(place)


def test_an_export_carries_tree_heads_and_key_events(place: Place, tmp_path: Path) -> None:
    fill(place, 3)
    with Registry.open(place) as registry, Registry.open(tmp_path / "copy.sqlite") as copy:
        registry.log.rotate(KEY, OwnerKey.generate())
        registry.log.sign_head(LOG_KEY)
        registry.export(tmp_path / "export.jsonl")
        for _ in range(2):
            copy.import_(tmp_path / "export.jsonl")
            assert copy.verify_chain() == registry.verify_chain()


def edit_out(place: Place, table: str) -> str:
    """Take the only row out of a table behind the registry's back, and hand out its body."""
    with Registry.open(place) as registry:
        body = str(registry._database.rows(f"SELECT body FROM {table}")[0][0])
    edit(place, f"DELETE FROM {table}")
    return body


def put_back(place: Place, table: str, body: str) -> None:
    with Registry.open(place) as registry, registry._database.transaction():
        registry._database.execute(f"INSERT INTO {table} VALUES (1, ?)", body)


def test_the_file_keeps_its_triggers_after_the_migration(tmp_path: Path) -> None:
    sign(tmp_path / "registry.sqlite")
    with (
        closing(sqlite3.connect(tmp_path / "registry.sqlite")) as connection,
        pytest.raises(sqlite3.IntegrityError, match="only grows"),
    ):
        connection.execute("DELETE FROM tree_head")
