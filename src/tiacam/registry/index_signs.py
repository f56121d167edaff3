"""An index of signs alone: one bit an axis, scanned whole.

The axes of whitened features carry equal variance, so the share of equal signs follows the cosine: 1 - arccos(c) / π.
Unrelated records agree in half of their signs, give or take 1.8 % at 768 axes; a record that a reading could accept
agrees in two thirds and more. So a short list by signs contains it, and its true cosines come from the ledger.
"""

from __future__ import annotations

from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray

from tiacam.registry.index import Hits, Numbers, likely_rows, to_unit_rows

BLOCK = 8192  # records scanned at once: their words stay in the processor's cache
WORD = 64

Words = NDArray[np.uint64]


class SignsIndex:
    """The signs of all features, word by word in blocks, so that one operation counts along many records."""

    kind = "signs"
    settings = f"blocks of {BLOCK}"

    def __init__(self, width: int) -> None:
        self._width = width
        self._words = -(-width // WORD)
        self._numbers: Numbers = np.empty(0, np.int64)
        self._blocks: Words = np.empty((0, self._words, BLOCK), np.uint64)  # (N / BLOCK, W, BLOCK)

    @classmethod
    def open(cls, path: Path, width: int, records: int) -> Self:
        """The index in a file that `save` wrote, mapped into memory."""
        index = cls(width)
        count = -(-records // BLOCK)
        index._numbers = np.memmap(path, np.int64, "r", shape=(records,))
        shape = (count, index._words, BLOCK)
        index._blocks = np.memmap(path, np.uint64, "r", offset=records * 8, shape=shape)
        return index

    def __len__(self) -> int:
        return len(self._numbers)

    def copy(self) -> SignsIndex:
        """One that can be added to."""
        index = SignsIndex(self._width)
        index._numbers, index._blocks = np.array(self._numbers), np.array(self._blocks)
        return index

    def add(self, numbers: Numbers, features: NDArray[np.generic]) -> None:
        signs = to_sign_words(to_unit_rows(features, self._width))  # (N, W)
        used = len(self._numbers)
        self._numbers = np.concatenate([self._numbers, np.asarray(numbers, np.int64)])
        missing = -(-len(self._numbers) // BLOCK) - len(self._blocks)
        if missing > 0:
            more = np.zeros((missing, self._words, BLOCK), np.uint64)
            self._blocks = np.concatenate([self._blocks, more])
        rows = np.arange(used, used + len(signs))
        self._blocks[rows // BLOCK, :, rows % BLOCK] = signs

    def save(self, path: Path) -> None:
        with path.open("wb") as file:
            self._numbers.tofile(file)
            self._blocks.tofile(file)

    def search(self, queries: NDArray[np.float32], count: int) -> list[Hits]:
        differing = self._scan(to_sign_words(queries))  # (Q, N)
        return [self._nearest(row, count) for row in differing]

    def _scan(self, signs: Words) -> NDArray[np.uint16]:
        """In how many signs every record differs from every query."""
        differing = np.empty((len(signs), len(self._blocks) * BLOCK), np.uint16)
        words, counts = np.empty((self._words, BLOCK), np.uint64), np.empty((self._words, BLOCK), np.uint8)
        for number, block in enumerate(self._blocks):
            place = slice(number * BLOCK, (number + 1) * BLOCK)
            for row, query in zip(differing, signs, strict=True):
                np.bitwise_xor(block, query[:, np.newaxis], out=words)  # (W, BLOCK)
                np.bitwise_count(words, out=counts)
                np.add.reduce(counts, axis=0, dtype=np.uint16, out=row[place])
        return differing[:, : len(self._numbers)]

    def _nearest(self, differing: NDArray[np.uint16], count: int) -> Hits:
        rows = likely_rows(-differing.view(np.int16), count)
        angles = differing[rows].astype(np.float32) * np.float32(np.pi / self._width)
        return Hits(self._numbers[rows], np.cos(angles)).first(count)


def to_sign_words(features: NDArray[np.float32]) -> Words:
    """(N, D) features → (N, W) words of 64 signs each; what is missing to the last word is zero on all sides."""
    packed = np.packbits(features > 0, axis=1)  # (N, D / 8)
    missing = -packed.shape[1] % (WORD // 8)
    return np.ascontiguousarray(np.pad(packed, ((0, 0), (0, missing)))).view(np.uint64)
