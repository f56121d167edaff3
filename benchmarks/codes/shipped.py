"""The keyed head's own code behind the study's interface, so that the published rates are those of what ships."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tiacam.watermark.code import LISTED, polar_code

from .channel import Bits, Floats


@dataclass(frozen=True)
class Shipped:
    """`tiacam.watermark.code` at one length and dimension."""

    n: int
    k: int

    def encode(self, seeds: Bits) -> Bits:
        """Codewords (T, n) of seeds (T, k), the first bit lowest."""
        packed = np.packbits(seeds, axis=1, bitorder="little")
        code = polar_code(self.n, self.k)
        return np.stack([code.encode(int.from_bytes(row.tobytes(), "little")) for row in packed])

    def decode(self, soft: Floats, keep: int = LISTED) -> Bits:
        """Best seeds first, (T, keep, k)."""
        code = polar_code(self.n, self.k)
        words = np.array([code.decode(values.astype(np.float32))[:keep] for values in soft], np.uint64)
        return (words[:, :, None] >> np.arange(self.k, dtype=np.uint64) & np.uint64(1)).astype(np.uint8)
