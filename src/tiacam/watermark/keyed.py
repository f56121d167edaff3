"""The default head: a fuzzy commitment under a key, so that a message comes back exactly or not at all.

Binding. The whitened feature is projected on n keyed directions. Its signs mask the codeword of a random
seed, its magnitudes (two bits each) say which signs are reliable; the message is sealed under a key made of
the seed and the owner's secret.
Reading. The photo's projections, weighted by the stored magnitudes, are soft decisions on the codeword;
decoding gives seeds, and the seal tells the right one. Signs and magnitudes of a symmetric feature are
independent, the signs are masked, and all of it lies under a keystream: the helper data says nothing about
seed or message without the picture.
"""

from __future__ import annotations

import secrets
from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray

from tiacam.errors import MessageError
from tiacam.watermark.code import PolarCode, polar_code
from tiacam.watermark.mark import SALT_BYTES, Mark
from tiacam.watermark.message import Message
from tiacam.watermark.rotation import directions_for, rotate
from tiacam.watermark.seal import TAG_BYTES, keystream, message_key, seal, unseal
from tiacam.watermark.verdict import Reading

SEED_BITS = 48
FEWEST_DIRECTIONS = 64
HEAD = "keyed-1"
# Quartiles of |z| for a standard normal z, and the mean of |z| inside each: two bits of reliability a direction.
LEVEL_EDGES = np.array([0.31863936, 0.67448975, 1.15034938], np.float32)
LEVEL_VALUES = np.array([0.15797630, 0.49134936, 0.89538434, 1.64682824], np.float32)


@dataclass(frozen=True)
class KeyedParameters:
    """What a record must say so that it can be read: the code's length and dimension."""

    directions: int
    seed_bits: int = SEED_BITS

    def __post_init__(self) -> None:
        if self.directions < FEWEST_DIRECTIONS or self.directions & (self.directions - 1):
            raise MessageError(
                f"{self.directions} directions, wanted a power of two of at least {FEWEST_DIRECTIONS}"
            )
        if not 16 <= self.seed_bits <= 64:
            raise MessageError(f"a seed of {self.seed_bits} bits, wanted 16 to 64")

    @property
    def code(self) -> PolarCode:
        return polar_code(self.directions, self.seed_bits)

    @property
    def masked_bytes(self) -> int:
        return 3 * self.directions // 8  # one masked sign and a two-bit level a direction


@dataclass(frozen=True)
class Commitment:
    """The helper data, unpacked: masked signs, level indices and the sealed message."""

    masked: NDArray[np.uint8]  # (n,) sign bit XOR codeword bit
    levels: NDArray[np.uint8]  # (n,) 0..3
    sealed: bytes

    def pack(self) -> bytes:
        low, high = np.packbits(self.levels & 1), np.packbits(self.levels >> 1)
        return np.packbits(self.masked).tobytes() + low.tobytes() + high.tobytes()

    @classmethod
    def unpack(cls, plain: bytes, sealed: bytes) -> Commitment:
        planes = np.unpackbits(np.frombuffer(plain, np.uint8)).reshape(3, -1)
        return cls(planes[0], planes[1] | planes[2] << 1, sealed)


class KeyedHead:
    """Binds messages to whitened features, and reads them back; `secret` is the owner's head secret."""

    def bind(
        self,
        feature: NDArray[np.float32],
        message: Message,
        secret: bytes,
        *,
        salt: bytes | None = None,
        seed: int | None = None,
    ) -> Mark:
        """The mark of this picture and message. Salt and seed are drawn at random unless a test vector fixes them."""
        parameters = KeyedParameters(directions_of(feature))
        salt = secrets.token_bytes(SALT_BYTES) if salt is None else salt
        seed = secrets.randbits(parameters.seed_bits) if seed is None else seed
        projected = rotate(feature, parameters.directions, secret, salt)
        masked = (projected < 0).astype(np.uint8) ^ parameters.code.encode(seed)
        levels = np.searchsorted(LEVEL_EDGES, np.abs(projected)).astype(np.uint8)
        plain = Commitment(masked, levels, b"").pack()
        hidden = _xor(plain, keystream(secret, salt, b"helper", len(plain)))
        sealed = seal(message, message_key(secret, salt, seed), _bound(parameters, salt, hidden))
        return Mark(HEAD, asdict(parameters), salt, hidden + sealed)

    def read(self, feature: NDArray[np.float32], mark: Mark, secret: bytes) -> Reading:
        """The message if the feature is close enough to the registered one; otherwise a reading without message."""
        parameters, commitment, bound = _open(mark, secret)
        if parameters.directions != directions_of(feature):
            raise MessageError(
                f"the record has {parameters.directions} directions, a feature of width {len(feature)} "
                f"has {directions_of(feature)}: it is another model's"
            )
        projected = rotate(feature, parameters.directions, secret, mark.salt)
        soft = projected * LEVEL_VALUES[commitment.levels] * (1 - 2.0 * commitment.masked).astype(np.float32)
        for seed in parameters.code.candidates(soft):
            message = unseal(commitment.sealed, message_key(secret, mark.salt, seed), bound)
            if message is not None:
                return _compare(projected, commitment, parameters.code.encode(seed), message)
        return Reading(message=None, compared=parameters.directions)


def directions_of(feature: NDArray[np.float32]) -> int:
    return max(FEWEST_DIRECTIONS, directions_for(len(feature)))


def _parameters(mark: Mark) -> KeyedParameters:
    if mark.head != HEAD:
        raise MessageError(f"the record was made by the head {mark.head!r}, this is {HEAD!r}")
    try:
        return KeyedParameters(int(mark.parameters["directions"]), int(mark.parameters["seed_bits"]))
    except (KeyError, TypeError, ValueError) as error:
        raise MessageError(
            f"{dict(mark.parameters)} are no parameters of {HEAD!r}: directions and seed_bits wanted"
        ) from error


def _open(mark: Mark, secret: bytes) -> tuple[KeyedParameters, Commitment, bytes]:
    parameters = _parameters(mark)
    size = parameters.masked_bytes
    if len(mark.helper) <= size + TAG_BYTES:
        raise MessageError(f"helper data has {len(mark.helper)} bytes, wanted more than {size + TAG_BYTES}")
    hidden, sealed = mark.helper[:size], mark.helper[size:]
    plain = _xor(hidden, keystream(secret, mark.salt, b"helper", size))
    return parameters, Commitment.unpack(plain, sealed), _bound(parameters, mark.salt, hidden)


def _bound(parameters: KeyedParameters, salt: bytes, hidden: bytes) -> bytes:
    """What the seal vouches for besides the message."""
    return b"%s %d %d " % (HEAD.encode(), parameters.directions, parameters.seed_bits) + salt + hidden


def _compare(
    projected: NDArray[np.float32], commitment: Commitment, codeword: NDArray[np.uint8], message: Message
) -> Reading:
    """How well the photo's feature agrees with the registered one, which the right seed unmasks."""
    signs = 1 - 2.0 * (commitment.masked ^ codeword)
    registered = signs * LEVEL_VALUES[commitment.levels]
    correlation = projected @ registered / (np.linalg.norm(projected) * np.linalg.norm(registered))
    agreeing = int(np.count_nonzero((projected < 0) == (signs < 0)))
    return Reading(message, float(correlation), agreeing, len(signs))


def _xor(data: bytes, stream: bytes) -> bytes:
    return (int.from_bytes(data, "big") ^ int.from_bytes(stream, "big")).to_bytes(len(data), "big")
