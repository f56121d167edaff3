"""Matrix products of a look-up, kept on the thread that asks.

A BLAS shares any larger product among threads, which then wait actively for the next one: a product of 0.3 ms costs
20 ms of the other cores, and on a busy machine the caller waits for them too. Slices below that size stay here.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

# OpenBLAS shares a product of matrices from 2^18 multiplications on, one with a vector from 9,216 on.
MATRIX_LIMIT, VECTOR_LIMIT = 1 << 18, 9_000

Floats = NDArray[np.float32]


def product(many: Floats, few: Floats) -> Floats:
    """`many` (N, K) times the transpose of `few` (M, K): (N, M)."""
    (count, width), columns = many.shape, len(few)
    limit = VECTOR_LIMIT if columns == 1 else MATRIX_LIMIT
    rows = max(1, limit // max(1, width * columns))
    slices = count // rows
    whole = slices * rows
    result = np.empty((count, columns), np.float32)
    sliced = result[:whole].reshape(slices, rows, columns)
    np.matmul(many[:whole].reshape(slices, rows, width), few.T, out=sliced)
    np.matmul(many[whole:], few.T, out=result[whole:])
    return result
