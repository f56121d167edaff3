"""The commands around the log: audits that sign, proofs that are checked offline, backups, keys, moving."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from cli_samples import COFFEE, HORSE, Outcome

from tiacam.registry import OwnerKey, Registry, fingerprint

Command = Callable[..., Outcome]


@pytest.fixture
def record_id(tiacam: Command, filled: Path) -> str:
    return str(tiacam("list", "--registry", filled, "--json").objects[0]["id"])


def test_a_record_is_proven_to_somebody_who_has_no_registry(
    tiacam: Command, filled: Path, tmp_path: Path, record_id: str
) -> None:
    proof, saved = tmp_path / "proof.json", tmp_path / "head.json"
    log = fingerprint(OwnerKey.load(f"{filled}.key").public)
    assert tiacam("audit", "--registry", filled, "--sign", "--save", saved).code == 0
    assert tiacam("prove", record_id[:10], "--registry", filled, "--out", proof).code == 0
    filled.unlink()
    checked = tiacam("audit", "--proof", proof, "--json", "--log", log)
    assert checked.code == 0
    assert checked.objects[0]["id"] == record_id
    assert checked.objects[0]["log"] == log
    assert "another" not in tiacam("audit", "--proof", proof).out
    assert "wanted 00" in tiacam("audit", "--proof", proof, "--log", "00").err


def test_an_edited_proof_is_refused(tiacam: Command, filled: Path, tmp_path: Path, record_id: str) -> None:
    tiacam("audit", "--registry", filled, "--sign")
    value = tiacam("prove", record_id, "--registry", filled).objects[0]
    for change in (
        {"number": 2},
        {"record": value["record"] | {"created_at": "2020-01-01T00:00:00.000000Z"}},
    ):
        (tmp_path / "proof.json").write_text(json.dumps(value | change))
        outcome = tiacam("audit", "--proof", tmp_path / "proof.json")
        assert (outcome.code, outcome.out) == (1, "")


def test_growth_since_a_saved_tree_head_is_proven_and_a_shorter_registry_is_convicted(
    tiacam: Command, filled: Path, tmp_path: Path
) -> None:
    saved, proof = tmp_path / "head.json", tmp_path / "growth.json"
    shorter = tmp_path / "shorter.tiacam"
    tiacam("backup", shorter, "--registry", filled)
    tiacam("register", HORSE, "--message", "x", "--registry", filled)
    tiacam("audit", "--registry", filled, "--sign", "--save", saved)
    tiacam("register", COFFEE, "--message", "y", "--registry", filled)
    early = tiacam("prove", "--since", saved, "--registry", filled)
    assert "no tree head covers the newest 1 records" in early.err
    tiacam("audit", "--registry", filled, "--sign")
    proven = tiacam("prove", "--since", saved, "--registry", filled, "--out", proof)
    assert (proven.code, proven.err) == (0, "")
    assert "first 3, second 4" in tiacam("audit", "--proof", proof).out
    assert tiacam("audit", "--head", saved, "--registry", filled).code == 0
    convicted = tiacam("audit", "--head", saved, "--registry", shorter)
    assert convicted.code == 1
    assert "deleted" in convicted.err


def test_a_backup_is_restored_into_an_empty_registry(tiacam: Command, filled: Path, tmp_path: Path) -> None:
    backup, restored = tmp_path / "backup.tiacam", tmp_path / "restored.tiacam"
    assert tiacam("backup", backup, "--registry", filled, "--json").objects[0]["records"] == 2
    outcome = tiacam("restore", backup, "--registry", restored, "--json")
    assert (outcome.objects[0]["added"], outcome.objects[0]["records"]) == (2, 2)
    assert tiacam("migrate", "--registry", restored).code == 0
    moved = tiacam("migrate", "--to", tmp_path / "moved.tiacam", "--registry", restored)
    assert "2 records taken over" in moved.out
    with Registry.open(tmp_path / "moved.tiacam") as registry:
        assert len(registry) == 2


def test_a_key_is_rotated_and_the_old_one_refused(tiacam: Command, filled: Path, tmp_path: Path) -> None:
    new = tmp_path / "new.key"
    rotated = tiacam("keys", "--rotate", new, "--registry", filled)
    assert rotated.code == 0
    assert OwnerKey.load(new).fingerprint in rotated.out
    refused = tiacam("register", HORSE, "--message", "x", "--registry", filled)
    assert (refused.code, "given up" in refused.err) == (1, True)
    assert tiacam("register", HORSE, "--message", "x", "--registry", filled, "--key", new).code == 0
    assert tiacam("audit", "--registry", filled, "--json").objects[0]["key_events"] == 1


def test_after_a_rotation_old_and_new_records_are_read_without_naming_any_key(
    tiacam: Command, filled: Path
) -> None:
    rotated = tiacam("keys", "--rotate", "--registry", filled)
    assert rotated.code == 0
    (new,) = Path(f"{filled}.keys").iterdir()
    assert f"made the key {new}: back it up; keep {filled}.key" in rotated.err
    assert tiacam("register", HORSE, "--message", "new key", "--registry", filled).code == 0
    assert "new key" in tiacam("read", HORSE, "--registry", filled).out
    assert "owner 4711" in tiacam("read", COFFEE, "--registry", filled).out
    owners = [line["owner"] for line in tiacam("list", "--registry", filled, "--json").objects]
    assert owners[-1] == OwnerKey.load(new).fingerprint != owners[0]
    again = tiacam("register", COFFEE, "--message", "owner 4711", "--registry", filled, "--json")
    assert again.objects[0]["present"]  # an old key's record is the owner's, too
    assert tiacam("audit", "--sign", "--registry", filled).code == 0


def test_with_the_new_key_alone_an_old_record_says_which_key_is_missing(
    tiacam: Command, filled: Path, tmp_path: Path
) -> None:
    new, old = tmp_path / "new.key", f"{filled}.key"
    told = tiacam("keys", "--rotate", new, "--registry", filled).err
    assert f"from now on give --key {new} --key {old}" in told
    alone = tiacam("read", COFFEE, "--registry", filled, "--key", new)
    assert alone.code == 1
    assert "this key followed that one, name the old key's file too" in alone.out
    both = tiacam("read", COFFEE, "--registry", filled, "--key", new, "--key", old)
    assert (both.code, "owner 4711" in both.out) == (0, True)


def test_a_revoked_record_is_not_read_out_as_if_it_counted(
    tiacam: Command, filled: Path, record_id: str
) -> None:
    tiacam("keys", "--revoke", f"{filled}.key", "--since", record_id, "--registry", filled)
    for more in ((), ("--all",)):
        read = tiacam("read", COFFEE, *more, "--registry", filled)
        assert (read.code, "does not count" in read.out, "4711" in read.out) == (1, True, False)
    verified = tiacam("verify", COFFEE, "--id", record_id, "--registry", filled)
    assert (verified.code, "does not count" in verified.err) == (1, True)


def test_a_lost_key_is_revoked_by_the_key_that_followed_it(
    tiacam: Command, filled: Path, record_id: str
) -> None:
    lost = OwnerKey.load(f"{filled}.key").fingerprint
    tiacam("keys", "--rotate", "--registry", filled)
    Path(f"{filled}.key").unlink()
    assert tiacam("keys", "--revoke", "0123456789abcdef", "--registry", filled).code == 2
    revoked = tiacam("keys", "--revoke", lost, "--since", record_id, "--registry", filled)
    assert (revoked.code, "revoke" in revoked.out) == (0, True)
    assert len(tiacam("audit", "--registry", filled, "--json").objects[0]["distrusted"]) == 2


def test_a_revoked_key_takes_its_records_with_it(tiacam: Command, filled: Path, record_id: str) -> None:
    key = Path(f"{filled}.key")
    assert tiacam("keys", "--revoke", key, "--since", record_id, "--registry", filled).code == 0
    audit = tiacam("audit", "--registry", filled, "--json")
    assert len(audit.objects[0]["distrusted"]) == 2
    assert record_id in audit.err


def test_prove_signs_a_tree_head_first_when_asked_to_and_none_that_is_not_needed(
    tiacam: Command, filled: Path, tmp_path: Path, record_id: str
) -> None:
    saved, proof = tmp_path / "head.json", tmp_path / "proof.json"
    unsigned = tiacam("prove", record_id, "--registry", filled)
    assert (unsigned.code, "prove ID --sign" in unsigned.err) == (1, True)
    assert tiacam("prove", record_id, "--sign", "--registry", filled).code == 0
    tiacam("audit", "--registry", filled, "--sign", "--save", saved)
    tiacam("register", HORSE, "--message", "x", "--registry", filled)
    for _ in range(2):
        proven = tiacam("prove", "--since", saved, "--sign", "--registry", filled, "--out", proof)
        assert (proven.code, proven.err) == (0, "")
    assert "first 2, second 3" in tiacam("audit", "--proof", proof).out
    assert tiacam("audit", "--registry", filled, "--json").objects[0]["tree_heads"] == 3


@pytest.mark.parametrize(
    "arguments",
    [("audit", "--save", "x"), ("prove",), ("prove", "x", "--since", "y"), ("keys", "--since", "x")],
)
def test_options_that_do_not_go_together_are_usage_errors(
    tiacam: Command, filled: Path, arguments: tuple[str, ...]
) -> None:
    assert tiacam(*arguments, "--registry", filled).code == 2
