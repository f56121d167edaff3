"""The owner's key: made on first use, missing, wrong, readable by others, of another owner."""

from __future__ import annotations

import stat
from collections.abc import Callable
from pathlib import Path

import pytest
from cli_samples import COFFEE, HORSE, Outcome

Command = Callable[..., Outcome]


def key_of(registry: Path) -> Path:
    return Path(f"{registry}.key")


def test_the_first_use_makes_a_private_key_and_says_to_back_it_up(tiacam: Command, registry: Path) -> None:
    outcome = tiacam("register", COFFEE, "--hex", "ab", "--registry", registry, "--json")
    assert outcome.err == f"made the key {key_of(registry)}: back it up, without it no message can be read\n"
    assert len(outcome.objects) == 1
    assert stat.S_IMODE(key_of(registry).stat().st_mode) == 0o600
    assert tiacam("register", HORSE, "--hex", "ab", "--registry", registry).err == ""


def test_a_named_key_is_made_where_it_was_named(tiacam: Command, registry: Path, tmp_path: Path) -> None:
    key = tmp_path / "safe" / "owner.key"
    tiacam("register", COFFEE, "--hex", "ab", "--registry", registry, "--key", key)
    assert key.exists()
    assert not key_of(registry).exists()
    assert tiacam("read", COFFEE, "--registry", registry, "--key", key).code == 0


@pytest.mark.parametrize("arguments", [("read", COFFEE), ("register", HORSE, "--hex", "ab")])
def test_a_registry_with_records_is_not_given_a_new_key(
    tiacam: Command, filled: Path, arguments: tuple[object, ...]
) -> None:
    key_of(filled).unlink()
    outcome = tiacam(*arguments, "--registry", filled)
    assert outcome.code == 1
    assert f"there is no key at {key_of(filled)}" in outcome.err
    assert not key_of(filled).exists()


def test_records_can_be_listed_and_checked_without_any_key(tiacam: Command, filled: Path) -> None:
    key_of(filled).unlink()
    assert tiacam("audit", "--registry", filled).code == 0
    assert len(tiacam("list", "--registry", filled).out.splitlines()) == 2


def test_the_message_of_another_owner_is_not_read_and_the_error_says_why(
    tiacam: Command, filled: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other.key"
    tiacam("keygen", other)
    outcome = tiacam("read", COFFEE, "--registry", filled, "--key", other)
    assert outcome.code == 1
    assert outcome.out.startswith(f"{COFFEE}: record tia")
    assert "belongs to the key" in outcome.out
    assert "4711" not in outcome.out + outcome.err


def test_verifying_with_the_wrong_key_is_an_error_whatever_the_photo_shows(
    tiacam: Command, filled: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other.key"
    tiacam("keygen", other)
    record_id = tiacam("list", "--registry", filled, "--json").objects[0]["id"]
    for photo in (COFFEE, HORSE):
        outcome = tiacam("verify", photo, "--id", record_id, "--registry", filled, "--key", other)
        assert outcome.code == 1
        assert "belongs to the key" in outcome.err


def test_two_owners_share_a_registry_and_each_reads_his_own(
    tiacam: Command, filled: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other.key"
    tiacam("keygen", other)
    tiacam("register", HORSE, "--message", "theirs", "--registry", filled, "--key", other)
    assert "theirs" in tiacam("read", HORSE, "--registry", filled, "--key", other).out
    assert "owner 4711" in tiacam("read", COFFEE, "--registry", filled).out
    assert tiacam("audit", "--registry", filled, "--json").objects[0]["owners"] == 2


@pytest.mark.parametrize("content", ["", "{}", "not a key"])
def test_a_damaged_key_is_refused(tiacam: Command, filled: Path, content: str) -> None:
    key_of(filled).write_text(content)
    outcome = tiacam("read", COFFEE, "--registry", filled)
    assert outcome.code == 1
    assert "restore it from its backup" in outcome.err


def test_a_key_that_others_can_read_is_refused_with_the_remedy(tiacam: Command, filled: Path) -> None:
    key_of(filled).chmod(0o644)
    outcome = tiacam("read", COFFEE, "--registry", filled)
    assert outcome.code == 1
    assert f"chmod 600 {key_of(filled)}" in outcome.err


def test_keygen_makes_a_key_once(tiacam: Command, tmp_path: Path) -> None:
    path = tmp_path / "owner.key"
    (made,) = tiacam("keygen", path, "--json").objects
    assert list(made) == ["file", "fingerprint", "public"]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    before = path.read_bytes()
    again = tiacam("keygen", path)
    assert again.code == 1
    assert "never overwritten" in again.err
    assert path.read_bytes() == before


@pytest.mark.parametrize("option", [(), ("--all",), ("--explain", "drawn")])
def test_with_the_wrong_key_every_form_of_reading_goes_on_to_the_next_photo(
    tiacam: Command, filled: Path, tmp_path: Path, option: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert tiacam("keygen", "other.key").code == 0
    outcome = tiacam("read", COFFEE, HORSE, *option, "--registry", filled, "--key", "other.key", "--json")
    wrong, nothing = outcome.objects
    assert (outcome.code, list(wrong), nothing["registered"]) == (1, ["photo", "error"], False)
    assert "belongs to the key" in wrong["error"]
