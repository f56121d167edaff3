"""Between eight bits and the unit interval."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def to_unit(pixels: NDArray[np.uint8]) -> NDArray[np.float32]:
    return pixels.astype(np.float32) / np.float32(255)


def to_bytes(values: NDArray[np.float32]) -> NDArray[np.uint8]:
    """Clip and round, as a file does."""
    return np.rint(np.clip(values, 0, 1) * 255).astype(np.uint8)


def centred_grid(height: int, width: int) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Pixel centres (H, 1) and (1, W) of a frame that spans [-1, 1] both ways."""
    v = (2 * np.arange(height, dtype=np.float32) + 1) / height - 1
    u = (2 * np.arange(width, dtype=np.float32) + 1) / width - 1
    return v[:, None].astype(np.float32), u[None, :].astype(np.float32)


def column(values: NDArray[np.float32], dimensions: int) -> NDArray[np.float32]:
    """Numbers (N,) shaped so that they multiply arrays of that many dimensions."""
    return values.reshape(-1, *[1] * (dimensions - 1))
