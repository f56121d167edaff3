"""Between coded bytes and linear light."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from tiacam.capture.kinds import Field, Pixels

STEPS = 65535


def _linear_table() -> NDArray[np.float32]:
    coded = np.arange(256) / 255
    return np.where(coded <= 0.04045, coded / 12.92, ((coded + 0.055) / 1.055) ** 2.4).astype(np.float32)


def srgb(light: NDArray[np.float64]) -> NDArray[np.float64]:
    """Linear light to sRGB code, both between 0 and 1."""
    return np.where(light <= 0.0031308, 12.92 * light, 1.055 * np.maximum(light, 1e-9) ** (1 / 2.4) - 0.055)


SRGB_TO_LINEAR = _linear_table()
LINEAR_TO_SRGB = np.round(srgb(np.arange(STEPS + 1) / STEPS) * 255).astype(np.uint8)


def to_linear(pixels: Pixels) -> Field:
    """sRGB bytes to linear light between 0 and 1."""
    return np.asarray(cv2.LUT(pixels, SRGB_TO_LINEAR), np.float32)


def to_bytes(light: Field) -> Pixels:
    """Linear light to sRGB bytes, clipped to what they can say."""
    return np.asarray(cv2.LUT(to_steps(light), LINEAR_TO_SRGB), np.uint8)


def to_steps(light: Field) -> NDArray[np.uint16]:
    """Linear light as 16-bit integers, for tables."""
    return np.asarray(np.clip(light * np.float32(STEPS), 0, STEPS), np.uint16)
