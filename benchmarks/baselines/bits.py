"""What bits read from a picture are worth: accuracy, and whether they would be taken for a mark."""

from __future__ import annotations

from collections.abc import Iterator
from math import comb

import numpy as np
from numpy.typing import NDArray

from tiacam.evaluate.metrics import bit_accuracy, estimate_mean, estimate_rate, exact_recovery
from tiacam.evaluate.record import Row

FALSE_CLAIMS = 1e-6  # the rate at which our own look-ups may claim falsely

Bits = NDArray[np.uint8]


def bit_rows(
    name: str, read: Bits, written: Bits, seed: int, paper: float | None = None, prefix: str = ""
) -> Iterator[Row]:
    """Accuracy of the bits (N, K), whole messages, and pictures that a test at one false claim in a million accepts."""
    needed = bits_needed(written.shape[1], FALSE_CLAIMS)
    detected = (read == written).sum(axis=1) >= needed
    yield Row.of(name, f"{prefix}bit accuracy", estimate_mean(bit_accuracy(read, written), seed), paper)
    yield Row.of(name, f"{prefix}exact", estimate_rate(exact_recovery(read, written)))
    yield Row.of(name, f"{prefix}detected at 1e-6", estimate_rate(detected.astype(np.float64)))


def bits_needed(bits: int, rate: float) -> int:
    """The fewest right bits that fair coins reach at most at this rate; more than all if none is enough."""
    tail = 0
    for right in range(bits, -1, -1):
        tail += comb(bits, right)
        if tail > rate * 2**bits:
            return right + 1
    return 0
