"""Keyed directions: a fast orthogonal map that only the holder of the key can repeat.

Three rounds of keyed sign flips and a Hadamard transform turn a feature into `size` coordinates, each a near-Gaussian
mixture of all inputs. Cost is O(n log n) instead of the n² of a dense random matrix, and nothing has to be stored.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from tiacam.watermark.seal import keystream

ROUNDS = 3


@cache
def hadamard(size: int) -> NDArray[np.float32]:
    """The orthonormal Hadamard matrix of a power of two (Sylvester's order)."""
    matrix = np.ones((1, 1), np.float32)
    while len(matrix) < size:
        matrix = np.block([[matrix, matrix], [matrix, -matrix]])
    return np.ascontiguousarray(matrix / np.float32(np.sqrt(size)))


def transform(vector: NDArray[np.float32]) -> NDArray[np.float32]:
    """Orthonormal Walsh-Hadamard transform of a vector of 2^m values, as two small matrix products."""
    log = len(vector).bit_length() - 1
    rows, columns = 1 << log // 2, 1 << log - log // 2
    product = hadamard(rows) @ vector.reshape(rows, columns) @ hadamard(columns)
    return np.asarray(product, np.float32).reshape(-1)


def directions_for(width: int) -> int:
    """The number of directions that a feature of this width gets: the next power of two."""
    return 1 << max(3, (width - 1).bit_length())


def rotate(feature: NDArray[np.float32], size: int, secret: bytes, salt: bytes) -> NDArray[np.float32]:
    """Coordinates of the feature along `size` keyed directions, scaled to mean square one."""
    flips = np.frombuffer(keystream(secret, salt, b"directions", ROUNDS * size // 8), np.uint8)
    signs = 1 - 2 * np.unpackbits(flips).astype(np.float32).reshape(ROUNDS, size)
    vector = np.zeros(size, np.float32)
    vector[: len(feature)] = feature
    for sign in signs:
        vector = transform(vector * sign)
    return vector * np.float32(np.sqrt(size) / max(float(np.linalg.norm(feature)), 1e-12))
