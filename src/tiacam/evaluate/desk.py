"""The product at work: pictures registered as a user would, photos read as a user would.

Nothing here knows how a photo is read. Whatever `Tiacam` does with views, candidates and trials is what is measured.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray

from tiacam.app import Submission, Tiacam
from tiacam.errors import ImageError
from tiacam.evaluate.shelf import Source
from tiacam.image.loading import Source as Loadable
from tiacam.model import FeatureModel
from tiacam.registry import KeyRing, OwnerKey, Registry
from tiacam.watermark import Message, Verdict
from tiacam.watermark.decision import FALSE_CLAIM_RATE

SECRET_BYTES = 32
UNREADABLE = -2  # a photo that cannot be decoded: the product says so, the run goes on
NOTHING = -1  # "not registered"


@dataclass(frozen=True)
class Answers:
    """What look-ups gave: the claimed picture of each, or NOTHING, or UNREADABLE."""

    claimed: NDArray[np.int64]  # (Q,)

    def right(self, owners: NDArray[np.int64]) -> NDArray[np.float64]:
        """1 where the picture itself was claimed, and so its whole message is back."""
        return np.asarray(self.claimed == owners, np.float64)

    def wrong(self, owners: NDArray[np.int64]) -> NDArray[np.float64]:
        """1 where another picture was claimed."""
        other = (self.claimed >= 0) & (self.claimed != owners)
        return np.asarray(other, np.float64)


class Desk:
    """A registry of numbered pictures in a folder of its own; use it in a `with`."""

    def __init__(self, tiacam: Tiacam, scratch: tempfile.TemporaryDirectory[str]) -> None:
        self._tiacam = tiacam
        self._scratch = scratch
        self._numbers: dict[str, int] = {}  # record id → picture
        self._messages: dict[int, Message] = {}
        self._ids: dict[int, str] = {}

    @classmethod
    def open(cls, model: FeatureModel, seed: int) -> Desk:
        """An empty registry; the owner's key follows from the seed, salts are fresh as they always are."""
        scratch = tempfile.TemporaryDirectory(prefix="tiacam-evaluate-")
        key = Path(scratch.name) / "key"
        OwnerKey(np.random.default_rng(seed).bytes(SECRET_BYTES)).save(key)
        registry = Registry.open(Path(scratch.name) / "registry.tiacam")
        ring = KeyRing(OwnerKey.load_or_create(key))
        return cls(Tiacam(registry, model, ring, FALSE_CLAIM_RATE), scratch)

    def __contains__(self, number: int) -> bool:
        return number in self._ids

    def register(
        self, sources: Sequence[Source], numbers: Iterable[int], messages: Sequence[Message]
    ) -> None:
        """Register some of the pictures, each under its number and with its message."""
        chosen = list(numbers)
        submissions = [Submission(sources[number].place, messages[number]) for number in chosen]
        for number, record in zip(chosen, self._tiacam.register_many(submissions), strict=True):
            if isinstance(record, ImageError):
                raise record  # every picture of the shelf was decoded once already
            self._numbers[record.id] = number
            self._ids[number] = record.id
            self._messages[number] = messages[number]

    def read(self, photos: Sequence[Loadable]) -> Answers:
        """Which picture each photo claims, of all that are registered here."""
        return Answers(
            np.array([self._number(answer) for answer in self._tiacam.read_many(photos)], np.int64)
        )

    def time_reading(self, photos: Sequence[Loadable]) -> float:
        """Milliseconds a look-up, decoding included, one photo after the other."""
        start = time.perf_counter()
        for photo in photos:
            self._tiacam.read(photo)
        return 1e3 * (time.perf_counter() - start) / len(photos)

    def confirms(self, photo: Loadable, number: int) -> bool:
        """Whether the product takes the photo for one of this picture, asked about this record alone."""
        return self._tiacam.verify(photo, self._ids[number]).registered

    @property
    def bytes_a_record(self) -> float:
        """What a record must hold to be found and read: feature, helper data, salt, landmarks."""
        records = [self._tiacam.registry.get(record_id) for record_id in self._numbers]
        sizes = [r.feature.nbytes + len(r.mark.helper) + len(r.mark.salt) + len(r.landmarks) for r in records]
        return float(np.mean(sizes))

    def _number(self, answer: Verdict | Exception) -> int:
        if isinstance(answer, ImageError):
            return UNREADABLE
        if isinstance(answer, Exception):
            raise answer
        if answer.record_id is None:
            return NOTHING
        number = self._numbers[answer.record_id]
        assert answer.message == self._messages[number], "the seal lets no other message through"
        return number

    def close(self) -> None:
        self._tiacam.close()
        self._scratch.cleanup()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
