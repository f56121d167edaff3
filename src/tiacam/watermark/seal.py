"""Keys of the keyed head: everything secret is derived by HKDF, and the message is sealed under the seed.

The nonce is constant because every key seals exactly one message: it depends on the record's random salt and seed.
"""

from __future__ import annotations

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from tiacam.watermark.message import Message

DOMAIN = b"tiacam keyed-1 "
NONCE = bytes(12)
TAG_BYTES = 16
HEADER_BYTES = 2
TEXT_FLAG = 1 << 15


def keystream(secret: bytes, salt: bytes, purpose: bytes, length: int) -> bytes:
    """`length` pseudo-random bytes for one purpose (HKDF-SHA256)."""
    return HKDF(algorithm=SHA256(), length=length, salt=salt, info=DOMAIN + purpose).derive(secret)


def message_key(secret: bytes, salt: bytes, seed: int) -> bytes:
    """The key that needs both the owner's secret and the seed that only the picture gives back."""
    return keystream(secret + seed.to_bytes(8, "big"), salt, b"message", 32)


def seal(message: Message, key: bytes, bound: bytes) -> bytes:
    """Encrypt and authenticate the message; `bound` is authenticated with it."""
    header = (message.length - 1) | (TEXT_FLAG if message.is_text else 0)
    plain = header.to_bytes(HEADER_BYTES, "big") + message.data
    return ChaCha20Poly1305(key).encrypt(NONCE, plain, bound)


def unseal(sealed: bytes, key: bytes, bound: bytes) -> Message | None:
    """The message, or None if the key is not the one that sealed it: never a wrong message."""
    try:
        plain = ChaCha20Poly1305(key).decrypt(NONCE, sealed, bound)
    except InvalidTag:
        return None
    header = int.from_bytes(plain[:HEADER_BYTES], "big")
    length = (header & ~TEXT_FLAG) + 1
    return Message(int.from_bytes(plain[HEADER_BYTES:], "big"), length, bool(header & TEXT_FLAG))
