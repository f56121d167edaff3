"""Samples of any depth → 8 bits, for arrays and for pictures that Pillow reads with more than 8 bits."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tiacam.errors import UnreadableImageError

Samples = NDArray[Any]
WANTED = "uint8, uint16 or floats in [0, 1]"


def check_shape(samples: Samples, name: str) -> None:
    """Refuse an array that is not (H, W), (H, W, 1), (H, W, 3) or (H, W, 4)."""
    channels = samples.shape[2] if samples.ndim == 3 else 1
    if samples.ndim not in (2, 3) or channels not in (1, 3, 4):
        raise UnreadableImageError(
            f"{name}: array of shape {samples.shape}, wanted (H, W), (H, W, 1), (H, W, 3) or (H, W, 4)"
        )


def to_eight_bits(samples: Samples, name: str) -> NDArray[np.uint8]:
    """A new C-contiguous uint8 array, full range to full range."""
    if samples.dtype == np.uint8:
        return np.array(samples, dtype=np.uint8, order="C")
    if samples.dtype.kind == "u" and samples.dtype.itemsize == 2:
        return np.ascontiguousarray(
            (samples.astype(np.uint32) + 128) // 257, dtype=np.uint8
        )  # 65535 = 257 · 255
    if samples.dtype.kind == "f":
        return quantise(samples, name)
    raise UnreadableImageError(f"{name}: samples of type {samples.dtype}, wanted {WANTED}")


def quantise(samples: Samples, name: str) -> NDArray[np.uint8]:
    """Floats in [0, 1] to 0..255; anything else has no agreed white and is refused instead of clipped."""
    low, high = samples.min(), samples.max()
    if not np.isfinite(low + high):
        raise UnreadableImageError(f"{name}: samples hold NaN or infinity, wanted {WANTED}")
    if low < 0 or high > 1:
        raise UnreadableImageError(f"{name}: float samples from {low:g} to {high:g}, wanted {WANTED}")
    return np.ascontiguousarray(np.rint(samples.astype(np.float32) * 255), dtype=np.uint8)


def narrow(samples: Samples, name: str) -> Samples:
    """Whole numbers that Pillow widened to 32 bits, back to 16; more than 16 bits have no agreed white."""
    low, high = int(samples.min()), int(samples.max())
    if low < 0 or high > 65535:
        raise UnreadableImageError(f"{name}: integer samples from {low} to {high}, wanted {WANTED}")
    return samples.astype(np.uint16)
