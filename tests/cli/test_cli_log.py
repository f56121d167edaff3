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
    tiacam("audit", "--registry", filled, "--sign")
    assert tiacam("prove", "--since", saved, "--registry", filled, "--out", proof).code == 0
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


def test_a_revoked_key_takes_its_records_with_it(tiacam: Command, filled: Path, record_id: str) -> None:
    key = Path(f"{filled}.key")
    assert tiacam("keys", "--revoke", key, "--since", record_id, "--registry", filled).code == 0
    audit = tiacam("audit", "--registry", filled, "--json")
    assert len(audit.objects[0]["distrusted"]) == 2
    assert record_id in audit.err


@pytest.mark.parametrize(
    "arguments",
    [("audit", "--save", "x"), ("prove",), ("prove", "x", "--since", "y"), ("keys", "--since", "x")],
)
def test_options_that_do_not_go_together_are_usage_errors(
    tiacam: Command, filled: Path, arguments: tuple[str, ...]
) -> None:
    assert tiacam(*arguments, "--registry", filled).code == 2
