"""What is registered: the part of a record that the caller decides, and whether it can be stored at all."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tiacam.errors import RegistryError
from tiacam.watermark.mark import Mark

HALF = np.dtype("<f2")
HEX_DIGEST = re.compile("[0-9a-f]{64}")
LARGEST_LANDMARKS = 2048
LARGEST_MANIFEST = 2**20


@dataclass(frozen=True, eq=False, kw_only=True)
class Registration:
    """One picture bound to one message; `bits` is the length of the message, `sha256` that of the file.

    `landmarks` are compact local descriptors of the picture, at most 2,048 bytes, empty where there are none.
    """

    model: str
    mark: Mark
    feature: NDArray[np.floating[Any]]
    bits: int
    media_type: str | None = None
    sha256: str | None = None
    note: str = ""
    landmarks: bytes = b""

    def check(self) -> None:
        """A TypeError or ValueError for what could not be stored and read back exactly."""
        if not (isinstance(self.model, str) and self.model):
            raise ValueError(f"model must be a model's id, got {self.model!r}")
        if not isinstance(self.bits, int) or isinstance(self.bits, bool) or self.bits < 1:
            raise ValueError(f"bits must be a whole number from 1, got {self.bits!r}")
        if not isinstance(self.media_type, str | None):
            raise ValueError(f"media_type must be text like 'image/jpeg' or None, got {self.media_type!r}")
        if self.sha256 is not None and not HEX_DIGEST.fullmatch(self.sha256):
            raise ValueError(f"sha256 must be 64 lower-case hex digits or None, got {self.sha256!r}")
        if not isinstance(self.note, str):
            raise ValueError(f"note must be text, got {type(self.note).__name__}")
        check_bytes("landmarks", self.landmarks, LARGEST_LANDMARKS)
        if not (self.feature.ndim == 1 and self.feature.size and np.isfinite(self.feature).all()):
            raise ValueError(f"feature must be a vector of finite numbers, got shape {self.feature.shape}")


@dataclass(frozen=True, eq=False, kw_only=True)
class Draft(Registration):
    """What a caller hands to the registry, which adds time, place in the chain, owner and signature.

    The feature may have any length and float type; its direction is kept, as a unit vector in fp16.
    `manifest` is a C2PA manifest of at most 1 MiB, kept beside the record, which covers its sha256.
    """

    manifest: bytes = b""

    def __post_init__(self) -> None:
        object.__setattr__(self, "feature", to_unit_half(self.feature))
        try:
            self.check()
            check_bytes("manifest", self.manifest, LARGEST_MANIFEST)
            texts = [self.model, self.media_type or "", self.note]
            encode({"texts": texts})  # lone surrogates have no UTF-8
            if any("\0" in text for text in texts):
                raise ValueError("model, media_type and note must not hold the character 0")
            mark = self.mark.to_json()
            if Mark.from_json(json.loads(encode(mark))).to_json() != mark:
                raise ValueError("the mark does not survive being written and read back")
        except (TypeError, ValueError) as error:
            raise RegistryError(f"this cannot be registered: {error}") from error


def check_bytes(name: str, value: object, most: int) -> None:
    if not isinstance(value, bytes) or len(value) > most:
        size = f"{len(value)} bytes" if isinstance(value, bytes) else type(value).__name__
        raise ValueError(f"{name} must be at most {most} bytes, got {size}")


def to_unit_half(feature: ArrayLike) -> NDArray[np.float16]:
    """The direction of a feature, as the fp16 unit vector that is stored."""
    vector = np.asarray(feature, dtype=np.float64)
    length = float(np.linalg.norm(vector))
    if vector.ndim != 1 or not 0 < length < np.inf:
        raise RegistryError(
            "a feature must be a vector of finite numbers, not all zero; "
            f"got shape {vector.shape} and length {length}"
        )
    return (vector / length).astype(HALF)  # (D,)


def encode(value: Mapping[str, Any]) -> bytes:
    """The one serialisation of a JSON object: sorted keys, no spaces, UTF-8."""
    return json.dumps(
        value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    ).encode()
