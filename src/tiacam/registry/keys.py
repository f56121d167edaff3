"""The owner's key: one master secret that signs the records and drives the keyed head."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import secrets
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from tiacam.errors import KeyFileError

SECRET_BYTES = 32
FORMAT = "tiacam-key"
VERSION = 1
SIGNING_PURPOSE = b"tiacam owner key 1: signing"
HEAD_PURPOSE = b"tiacam owner key 1: watermark head"
LARGEST_KEY_FILE = 4096


@dataclass(frozen=True)
class OwnerKey:
    """A 32-byte master secret; every other key of the owner is derived from it (HKDF-SHA256)."""

    secret: bytes = field(repr=False)

    def __post_init__(self) -> None:
        if len(self.secret) != SECRET_BYTES:
            raise KeyFileError(f"an owner's secret has {SECRET_BYTES} bytes, got {len(self.secret)}")

    @classmethod
    def generate(cls) -> OwnerKey:
        return cls(secrets.token_bytes(SECRET_BYTES))

    @cached_property
    def head_secret(self) -> bytes:
        """The 32 bytes that the watermark head derives its directions and message keys from."""
        return derive(self.secret, HEAD_PURPOSE)

    @cached_property
    def public(self) -> bytes:
        """The raw Ed25519 public key, 32 bytes: the owner's name in every record."""
        return self._signing_key.public_key().public_bytes_raw()

    @cached_property
    def fingerprint(self) -> str:
        return fingerprint(self.public)

    def sign(self, data: bytes) -> bytes:
        """An Ed25519 signature, 64 bytes; the same data always gives the same signature."""
        return self._signing_key.sign(data)

    @staticmethod
    def verify(public: bytes, signature: bytes, data: bytes) -> bool:
        try:
            Ed25519PublicKey.from_public_bytes(public).verify(signature, data)
        except (InvalidSignature, ValueError):
            return False
        return True

    def save(self, path: str | Path) -> None:
        """Write a new key file, readable by its owner alone; an existing file is never touched."""
        try:
            place(Path(path), self._encode())
        except FileExistsError as error:
            raise KeyFileError(f"{path} exists already, and a key file is never overwritten") from error

    @classmethod
    def load(cls, path: str | Path) -> OwnerKey:
        return decode(Path(path), read_private(Path(path)))

    @classmethod
    def load_or_create(cls, path: str | Path) -> KeyFile:
        """The key at `path`, made there on first use; of two processes that race, both get the same key."""
        path = Path(path)
        if not os.access(path, os.F_OK):
            key = cls.generate()
            try:
                place(path, key._encode())
            except FileExistsError:
                pass  # another process was first: its key is the key
            else:
                return KeyFile(path, key, created=True)
        return KeyFile(path, cls.load(path), created=False)

    @cached_property
    def _signing_key(self) -> Ed25519PrivateKey:
        return Ed25519PrivateKey.from_private_bytes(derive(self.secret, SIGNING_PURPOSE))

    def _encode(self) -> bytes:
        value = {
            "format": FORMAT,
            "version": VERSION,
            "public": base64.b64encode(self.public).decode(),
            "secret": base64.b64encode(self.secret).decode(),
        }
        return json.dumps(value, indent=1).encode() + b"\n"

    def __reduce__(self) -> tuple[type[OwnerKey], tuple[bytes]]:
        # The cached signing key cannot be pickled; the secret says it all.
        return OwnerKey, (self.secret,)


@dataclass(frozen=True)
class KeyFile:
    """A key and where it lives; `created` tells the caller to ask for a backup."""

    path: Path
    key: OwnerKey
    created: bool


def fingerprint(public: bytes) -> str:
    """A short name for a public key, for people to compare."""
    return hashlib.sha256(public).hexdigest()[:16]


def derive(secret: bytes, purpose: bytes) -> bytes:
    return HKDF(algorithm=SHA256(), length=32, salt=None, info=purpose).derive(secret)


def place(path: Path, data: bytes) -> None:
    """Make `path` appear whole and durable, or raise FileExistsError: written aside, then linked."""
    aside = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            write_durably(aside, data)
            os.link(aside, path)
        finally:
            aside.unlink(missing_ok=True)
        sync_folder(path.parent)
    except FileExistsError:
        raise
    except OSError as error:
        raise KeyFileError(f"the key file {path} cannot be written: {error.strerror}") from error


def write_durably(path: Path, data: bytes) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def sync_folder(path: Path) -> None:
    if os.name != "posix":
        return  # elsewhere a folder cannot be opened, and its entries are durable with the file
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def read_private(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            if os.name == "posix" and os.fstat(file.fileno()).st_mode & 0o077:
                raise KeyFileError(f"{path} can be read by others: run `chmod 600 {path}`")
            return file.read(LARGEST_KEY_FILE)
    except FileNotFoundError as error:
        raise KeyFileError(f"there is no key at {path}: make one with `tiacam keygen`") from error
    except OSError as error:
        raise KeyFileError(f"the key file {path} cannot be read: {error.strerror}") from error


def decode(path: Path, data: bytes) -> OwnerKey:
    try:
        value: dict[str, Any] = json.loads(data)
        if value["format"] != FORMAT or value["version"] != VERSION:
            found = f"{value['format']!r} version {value['version']!r}"
            raise KeyFileError(f"{path} holds {found}, wanted {FORMAT!r} version {VERSION}")
        key = OwnerKey(base64.b64decode(value["secret"], validate=True))
        public = base64.b64decode(value["public"], validate=True)
    except (ValueError, KeyError, TypeError) as error:
        raise KeyFileError(f"{path} is damaged or no key file: restore it from its backup") from error
    if key.public != public:
        raise KeyFileError(f"{path} is damaged (secret and public key disagree): restore it from its backup")
    return key
