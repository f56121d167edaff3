"""Records of the pictures under both heads, and what reading attacked pictures against them gives.

The keyed head is read as the product reads: the nearest records of the whole frame, then of the centres, every record
and every view a trial of the decision.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tiacam.app.reader import NEAREST, VIEWS
from tiacam.pipeline import Candidate, claim, rank
from tiacam.watermark import Decision, KeyedHead, Mark, Message, ReferenceHead
from tiacam.watermark.keyed import SEED_BITS
from tiacam.watermark.mark import SALT_BYTES

MESSAGE_BITS = 100
SECRET_BYTES = 32
STAGES = ((0,), tuple(range(1, len(VIEWS))))  # the whole frame first, the centres if that was not enough

Features = NDArray[np.float32]


@dataclass(frozen=True)
class Gallery:
    """N records, one a picture, under one owner's key."""

    features: Features  # (N, D)
    messages: NDArray[np.uint8]  # (N, K)
    keyed: tuple[Mark, ...]
    reference: tuple[Mark, ...]
    secret: bytes
    decision: Decision

    def __len__(self) -> int:
        return len(self.features)

    def look_up(self, views: Features, *, without: int | None = None) -> int | None:
        """The record that a photo's views (V, D) claim, with `without` taken out of the registry; None if none.

        A claimed record's message is the one that was registered: the seal lets no other through.
        """
        cosines = views @ self.features.T  # (V, N)
        if without is not None:
            cosines[:, without] = -1.0
        trials = len(views) * (len(self) - (without is not None))
        for stage in STAGES:
            candidates = [c for view in stage for c in self._nearest(views[view], cosines[view], view)]
            found = claim(rank(candidates), self.secret, self.decision, trials)
            if found is not None:
                return int(found.candidate.record_id)
        return None

    def _nearest(self, feature: Features, cosines: Features, view: int) -> list[Candidate]:
        return [
            Candidate(str(index), "", self.keyed[index], float(cosines[index]), VIEWS[view].name, feature)
            for index in np.argsort(-cosines)[:NEAREST].tolist()
        ]

    def recover(self, views: Features) -> NDArray[np.float64]:
        """1 for every picture (N, V, D) whose own record was claimed, and with it its whole message."""
        claims = [self.look_up(photo) for photo in views]
        return np.array([claimed == index for index, claimed in enumerate(claims)], np.float64)

    def claim_falsely(self, views: Features) -> NDArray[np.float64]:
        """1 for every picture (N, V, D) that claims a record although its own is not in the registry."""
        claims = [self.look_up(photo, without=index) for index, photo in enumerate(views)]
        return np.array([claimed is not None for claimed in claims], np.float64)

    def read_reference(self, features: Features, records: Sequence[int]) -> NDArray[np.uint8]:
        """The bits (N, K) that the paper's head reads from each feature with the record named for it."""
        head = ReferenceHead()
        readings = [
            head.read(feature, self.reference[record]).message
            for feature, record in zip(features, records, strict=True)
        ]
        return np.array([message.bits for message in readings if message is not None], np.uint8)


def register(features: Features, dimensions: float, seed: int) -> Gallery:
    """Bind a random message of 100 bits to every feature, under both heads; the seed fixes all of it."""
    rng = np.random.default_rng(seed)
    bits = rng.integers(2, size=(len(features), MESSAGE_BITS), dtype=np.uint8)
    messages = [Message.from_bits(row.tolist()) for row in bits]
    secret = rng.bytes(SECRET_BYTES)
    salts = [rng.bytes(SALT_BYTES) for _ in messages]
    seeds = [int(value) for value in rng.integers(2**SEED_BITS, size=len(messages))]
    keyed, reference = KeyedHead(), ReferenceHead()
    return Gallery(
        features=features,
        messages=bits,
        keyed=tuple(
            keyed.bind(feature, message, secret, salt=salt, seed=number)
            for feature, message, salt, number in zip(features, messages, salts, seeds, strict=True)
        ),
        reference=tuple(
            reference.bind(feature, message, salt=salt)
            for feature, message, salt in zip(features, messages, salts, strict=True)
        ),
        secret=secret,
        decision=Decision(dimensions),
    )
