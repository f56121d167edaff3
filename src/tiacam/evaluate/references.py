"""The paper's head over numbered pictures: signatures for messages of one length, fitted when first asked for."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tiacam.watermark import Mark, Message, ReferenceHead
from tiacam.watermark.mark import SALT_BYTES

Features = NDArray[np.float32]
Bits = NDArray[np.uint8]


class References:
    """Records of the paper's head with messages of one length."""

    def __init__(self, features: Features, messages: Bits, seed: int) -> None:
        self._features = features
        self.messages = messages  # (R, K)
        self._seed = seed
        self._marks: dict[int, Mark] = {}

    def read(self, features: Features, records: Sequence[int]) -> Bits:
        """The bits (Q, K) that each feature (Q, D) reads with the record named for it."""
        head = ReferenceHead()
        found = [
            head.read(feature, self._mark(record)).message
            for feature, record in zip(features, records, strict=True)
        ]
        return np.array([message.bits for message in found if message is not None], np.uint8)

    def _mark(self, record: int) -> Mark:
        if record not in self._marks:
            message = Message.from_bits(self.messages[record].tolist())
            salt = np.random.default_rng([self._seed, record]).bytes(SALT_BYTES)
            self._marks[record] = ReferenceHead().bind(self._features[record], message, salt=salt)
        return self._marks[record]


def draw_messages(count: int, bits: int, seed: int) -> Bits:
    """Random messages (count, bits); the seed fixes them."""
    return np.random.default_rng([seed, bits]).integers(2, size=(count, bits), dtype=np.uint8)
