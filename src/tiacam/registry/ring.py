"""A key ring: the key that an owner signs with, and those he used before, which still open their records."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tiacam.errors import KeyFileError
from tiacam.registry.keys import KeyFile, OwnerKey
from tiacam.registry.log import KeyHistory
from tiacam.registry.place import beside, key_path

PATTERN = "*.key"


@dataclass(frozen=True)
class KeyRing:
    """`file` holds the key that signs; the `former` keys only read."""

    file: KeyFile
    former: tuple[OwnerKey, ...] = ()

    @property
    def key(self) -> OwnerKey:
        return self.file.key

    def __contains__(self, owner: bytes) -> bool:
        return any(key.public == owner for key in self._keys)

    def head_secret(self, owner: bytes) -> bytes:
        """What opens the records of one of the keys, named by its public half."""
        return next(key for key in self._keys if key.public == owner).head_secret

    @property
    def _keys(self) -> tuple[OwnerKey, ...]:
        return self.key, *self.former


def ring_folder(place: str | os.PathLike[str]) -> Path:
    """Where further keys of a registry's owner are looked for unless others are named."""
    return beside(place, ".keys")


def default_places(place: str | os.PathLike[str]) -> list[Path]:
    """The key beside a registry and the ring beside it; only what is there, but never nothing."""
    places = [path for path in (key_path(place), ring_folder(place)) if path.exists()]
    return places or [key_path(place)]


def open_ring(places: Sequence[Path], history: KeyHistory, *, create: bool = False) -> KeyRing:
    """The keys in files and folders (`*.key`); the first signs, or the key that followed it in this registry.

    With `create`, a first file that does not exist is made.
    """
    first = places[0]
    if create and not first.is_dir():
        made = OwnerKey.load_or_create(first)
        files = [made] if made.created else load_files(places)
    else:
        files = load_files(places)
    start = sole_key(first, files, history) if first.is_dir() else files[0]
    signing = follow(start, files, history)
    former = {file.key.public: file.key for file in files if file.key.public != signing.key.public}
    return KeyRing(signing, tuple(former.values()))


def load_files(places: Sequence[Path]) -> list[KeyFile]:
    return [KeyFile(path, OwnerKey.load(path), created=False) for place in places for path in files_of(place)]


def files_of(place: Path) -> list[Path]:
    if not place.is_dir():
        return [place]
    files = sorted(place.glob(PATTERN))
    if not files:
        raise KeyFileError(f"the folder {place} holds no keys ({PATTERN})")
    return files


def sole_key(folder: Path, files: Sequence[KeyFile], history: KeyHistory) -> KeyFile:
    """The only key of a ring that is still in use: of several, chance must not choose who signs."""
    in_use = {file.key.public: file for file in files if history.ended(file.key.public) is None}
    if len(in_use) > 1:
        raise KeyFileError(
            f"{folder} holds {len(in_use)} keys that could sign: "
            f"name the one that shall first (--key FILE --key {folder})"
        )
    return next(iter(in_use.values()), files[0])


def follow(start: KeyFile, files: Sequence[KeyFile], history: KeyHistory) -> KeyFile:
    """The key that a given-up key was replaced by, as far as the ring holds its successors."""
    held = {file.key.public: file for file in files}
    following = [held[key] for key in history.successors(start.key.public) if key in held]
    return following[-1] if following else start
