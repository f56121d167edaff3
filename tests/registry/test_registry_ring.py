"""Key rings: which of several keys signs, and which still read."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from registry_samples import KEY, make_draft

from tiacam.errors import KeyEndedError, KeyFileError, RegistryError
from tiacam.registry import KeyHistory, OwnerKey, Registry, default_places, open_ring, ring_folder


def save(path: Path, key: OwnerKey | None = None) -> OwnerKey:
    key = key or OwnerKey.generate()
    key.save(path)
    return key


@pytest.fixture
def rotated(tmp_path: Path) -> tuple[list[Path], KeyHistory]:
    """Three key files, each the successor of the one before."""
    files = [tmp_path / f"{name}.key" for name in ("c", "a", "b")]
    keys = [save(file) for file in files]
    with Registry.open(tmp_path / "r.tiacam") as registry:
        for old, new in pairwise(keys):
            registry.log.rotate(old, new)
        return files, registry.log.history()


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 0, 2)])
def test_the_last_successor_signs_however_the_files_are_named(
    rotated: tuple[list[Path], KeyHistory], order: tuple[int, ...]
) -> None:
    files, history = rotated
    ring = open_ring([files[number] for number in order], history)
    assert ring.file.path == files[2]
    assert all(OwnerKey.load(file).public in ring for file in files)
    first = OwnerKey.load(files[0])
    assert ring.head_secret(first.public) == first.head_secret


def test_a_folder_of_keys_is_a_ring(rotated: tuple[list[Path], KeyHistory]) -> None:
    files, history = rotated
    assert open_ring([files[0].parent], history).file.path == files[2]


def test_without_its_successor_the_given_up_key_still_reads(rotated: tuple[list[Path], KeyHistory]) -> None:
    files, history = rotated
    ring = open_ring(files[:1], history)
    assert ring.file.path == files[0]
    with pytest.raises(KeyEndedError, match="name that key's file"):
        history.check(ring.key.public)


def test_of_two_keys_in_use_chance_does_not_choose_who_signs(tmp_path: Path) -> None:
    one, two = save(tmp_path / "one.key"), save(tmp_path / "two.key")
    with pytest.raises(KeyFileError, match="2 keys that could sign"):
        open_ring([tmp_path], KeyHistory())
    ring = open_ring([tmp_path / "two.key", tmp_path], KeyHistory())
    assert ring.key == two
    assert ring.former == (one,)


def test_a_stranger_is_not_in_a_ring(tmp_path: Path) -> None:
    save(tmp_path / "one.key", KEY)
    assert OwnerKey.generate().public not in open_ring([tmp_path / "one.key"], KeyHistory())


def test_an_empty_folder_and_a_missing_file_are_refused(tmp_path: Path) -> None:
    with pytest.raises(KeyFileError, match="holds no keys"):
        open_ring([tmp_path], KeyHistory())
    save(tmp_path / "one.key")
    with pytest.raises(KeyFileError, match="there is no key"):
        open_ring([tmp_path / "one.key", tmp_path / "absent.key"], KeyHistory())


def test_the_ring_beside_a_registry_is_found(tmp_path: Path) -> None:
    place = tmp_path / "r.tiacam"
    assert default_places(place) == [tmp_path / "r.tiacam.key"]
    save(ring_folder(place) / "new.key")
    assert default_places(place) == [tmp_path / "r.tiacam.keys"]
    save(tmp_path / "r.tiacam.key")
    assert default_places(place) == [tmp_path / "r.tiacam.key", tmp_path / "r.tiacam.keys"]


def test_a_key_that_was_given_up_signs_no_head_and_is_rotated_no_further(tmp_path: Path) -> None:
    successor = OwnerKey.generate()
    with Registry.open(tmp_path / "r.tiacam") as registry:
        registry.add(make_draft(), KEY)
        with pytest.raises(RegistryError, match="follow itself"):
            registry.log.rotate(KEY, KEY)
        registry.log.rotate(KEY, successor)
        with pytest.raises(KeyEndedError, match=successor.fingerprint):
            registry.log.sign_head(KEY)
        for old, new in ((KEY, OwnerKey.generate()), (successor, KEY)):
            with pytest.raises(KeyEndedError):
                registry.log.rotate(old, new)
        assert registry.log.sign_head(successor).events == 1
