"""The owner's key and its file."""

from __future__ import annotations

import json
import pickle
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tiacam.errors import KeyFileError
from tiacam.registry import OwnerKey, fingerprint

SECRET = bytes(range(32))


def test_a_key_comes_back_from_its_file_unchanged(tmp_path: Path) -> None:
    key = OwnerKey.generate()
    key.save(tmp_path / "new" / "owner.key")
    assert OwnerKey.load(tmp_path / "new" / "owner.key") == key


def test_a_key_file_is_readable_by_its_owner_alone_and_nothing_is_left_beside_it(tmp_path: Path) -> None:
    OwnerKey(SECRET).save(tmp_path / "owner.key")
    assert [path.name for path in tmp_path.iterdir()] == ["owner.key"]
    assert stat.S_IMODE((tmp_path / "owner.key").stat().st_mode) == 0o600


def test_saving_never_overwrites_a_key(tmp_path: Path) -> None:
    OwnerKey(SECRET).save(tmp_path / "owner.key")
    with pytest.raises(KeyFileError, match="never overwritten"):
        OwnerKey.generate().save(tmp_path / "owner.key")
    assert OwnerKey.load(tmp_path / "owner.key").secret == SECRET


def test_a_key_file_that_others_can_read_is_refused_with_the_command_to_run(tmp_path: Path) -> None:
    path = tmp_path / "owner.key"
    OwnerKey(SECRET).save(path)
    path.chmod(0o640)
    with pytest.raises(KeyFileError, match=f"chmod 600 {path}"):
        OwnerKey.load(path)


def test_a_missing_key_file_says_how_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(KeyFileError, match="tiacam keygen"):
        OwnerKey.load(tmp_path / "owner.key")


@pytest.mark.parametrize(
    "text", ["", "not json", "[]", "{}", '{"format":"tiacam-key","version":1,"public":"","secret":"AAAA"}']
)
def test_a_damaged_key_file_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "owner.key"
    path.write_text(text)
    path.chmod(0o600)
    with pytest.raises(KeyFileError):
        OwnerKey.load(path)


def test_a_key_file_with_one_wrong_letter_in_the_secret_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "owner.key"
    OwnerKey(SECRET).save(path)
    value = json.loads(path.read_text())
    path.write_text(json.dumps(value | {"secret": "B" + value["secret"][1:]}))
    with pytest.raises(KeyFileError, match="disagree"):
        OwnerKey.load(path)


def test_a_key_file_of_a_newer_version_says_both_versions(tmp_path: Path) -> None:
    path = tmp_path / "owner.key"
    OwnerKey(SECRET).save(path)
    path.write_text(json.dumps(json.loads(path.read_text()) | {"version": 9}))
    with pytest.raises(KeyFileError, match="version 9, wanted 'tiacam-key' version 1"):
        OwnerKey.load(path)


def test_a_folder_in_place_of_a_key_file_is_an_error_of_the_key_file(tmp_path: Path) -> None:
    with pytest.raises(KeyFileError):
        OwnerKey.load(tmp_path)


def test_the_key_is_made_on_first_use_and_found_on_the_second(tmp_path: Path) -> None:
    first = OwnerKey.load_or_create(tmp_path / "owner.key")
    second = OwnerKey.load_or_create(tmp_path / "owner.key")
    assert (first.created, second.created) == (True, False)
    assert first.key == second.key


def test_of_many_who_make_the_key_at_once_one_makes_it_and_all_get_it(tmp_path: Path) -> None:
    with ThreadPoolExecutor(16) as pool:
        files = list(pool.map(lambda _: OwnerKey.load_or_create(tmp_path / "owner.key"), range(64)))
    assert len({file.key.secret for file in files}) == 1
    assert sum(file.created for file in files) == 1


def test_signing_and_head_use_different_secrets_and_the_same_ones_every_time() -> None:
    key, again = OwnerKey(SECRET), OwnerKey(SECRET)
    assert len({key.secret, key.head_secret, key.public}) == 3
    assert (key.head_secret, key.public) == (again.head_secret, again.public)


def test_a_signature_holds_for_its_key_and_its_data_only() -> None:
    key, other = OwnerKey(SECRET), OwnerKey.generate()
    signature = key.sign(b"data")
    assert OwnerKey.verify(key.public, signature, b"data")
    assert not OwnerKey.verify(key.public, signature, b"date")
    assert not OwnerKey.verify(other.public, signature, b"data")
    assert not OwnerKey.verify(b"no key", signature, b"data")


def test_a_secret_of_the_wrong_size_is_refused() -> None:
    with pytest.raises(KeyFileError, match="32 bytes, got 5"):
        OwnerKey(b"short")


def test_a_key_never_shows_its_secret_when_printed() -> None:
    assert SECRET.hex() not in repr(OwnerKey(SECRET))
    assert repr(SECRET) not in repr(OwnerKey(SECRET))


def test_a_key_travels_to_another_process_even_after_it_was_used() -> None:
    key = OwnerKey(SECRET)
    key.sign(b"data")
    assert pickle.loads(pickle.dumps(key)).public == key.public


def test_the_fingerprint_is_short_and_belongs_to_the_public_key() -> None:
    key = OwnerKey(SECRET)
    assert key.fingerprint == fingerprint(key.public)
    assert len(key.fingerprint) == 16
