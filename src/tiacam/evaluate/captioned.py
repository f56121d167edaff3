"""Pictures whose captions say the same: rare words in common, by the usual tf-idf cosine."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

LEAST_SIMILARITY = 0.6  # below that captions tell of different things


def alike_captions(captions: Sequence[Sequence[str]], most: int) -> list[tuple[int, int]]:
    """The `most` pairs of pictures with the most alike captions, each picture in at most one pair."""
    owners = np.array([number for number, texts in enumerate(captions) for _ in texts])
    if len(set(owners.tolist())) < 2:
        return []
    vectors = weigh([text for texts in captions for text in texts])
    similar = vectors @ vectors.T  # (C, C)
    similar[owners[:, None] >= owners[None, :]] = 0  # each pair once, none with itself
    order = np.argsort(similar, axis=None)[::-1]
    return pick(similar, order, owners, most)


def pick(
    similar: NDArray[np.float32], order: NDArray[np.int64], owners: NDArray[np.int64], most: int
) -> list[tuple[int, int]]:
    pairs: list[tuple[int, int]] = []
    taken: set[int] = set()
    for flat in order:
        row, column = divmod(int(flat), similar.shape[1])
        if similar[row, column] < LEAST_SIMILARITY or len(pairs) == most:
            break
        pair = (int(owners[row]), int(owners[column]))
        if taken.isdisjoint(pair):
            pairs.append(pair)
            taken.update(pair)
    return pairs


def weigh(texts: Sequence[str]) -> NDArray[np.float32]:
    """Unit tf-idf vectors of the texts (C, W)."""
    words = [Counter(re.findall(r"[a-z]+", text.lower())) for text in texts]
    known = Counter(word for counts in words for word in counts)
    columns = {word: index for index, word in enumerate(known)}
    vectors = np.zeros((len(texts), len(columns)), np.float32)
    for row, counts in enumerate(words):
        for word, count in counts.items():
            vectors[row, columns[word]] = count * np.log(len(texts) / known[word])
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.maximum(lengths, 1e-12), np.float32)
