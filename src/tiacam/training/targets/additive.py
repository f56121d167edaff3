"""A sensor's noise: white, in bands along rows and columns, in blotches of colour, and dead or hot pixels."""

from __future__ import annotations

from collections.abc import Mapping

import cv2
import numpy as np
from numpy.typing import NDArray

from .pixels import column, to_bytes, to_unit

# The latent's coordinates: 128 rows, 128 columns, 8×8 blotches of grey and of each colour.
SIDE = 128
BLOTCHES = 8
WEIGHTS = (0.15, 0.15, 0.2, 0.2)  # of bands along rows and columns, of grey and of coloured blotches


def add_noise(pixels: NDArray[np.uint8], drawn: Mapping[str, NDArray[np.float32]]) -> NDArray[np.uint8]:
    """x + σ·z + a·pattern, then whole pixels replaced."""
    height, width = pixels.shape[1:3]
    pattern = np.stack([structured_noise(latent, height, width) for latent in drawn["latent"]])
    white = drawn["white"].transpose(0, 2, 3, 1)
    noise = column(drawn["deviation"], 4) * white + column(drawn["pattern"], 4) * pattern
    share = column(drawn["impulses"], 4)
    odds = np.log(np.maximum(share, 1e-8)) - np.log1p(-share)
    hit = drawn["gumbel"].transpose(0, 2, 3, 1) + odds > 0
    return to_bytes(np.where(hit, drawn["colour"].transpose(0, 2, 3, 1), to_unit(pixels) + noise))


def structured_noise(latent: NDArray[np.float32], height: int, width: int) -> NDArray[np.float32]:
    """The noise with structure that a latent (512,) stands for, in [-1, 1] (H, W, 3)."""
    rows, columns, blotches = np.split(latent, [SIDE, 2 * SIDE])
    grey, *colours = blotches.reshape(4, BLOTCHES, BLOTCHES)
    soft = cv2.resize(np.stack(colours, 2), (SIDE, SIDE), interpolation=cv2.INTER_LINEAR)
    softer = cv2.resize(grey, (SIDE, SIDE), interpolation=cv2.INTER_LINEAR)[..., None]
    parts = (rows[:, None, None], columns[None, :, None], softer, soft)
    pattern = np.clip(sum(weight * part for weight, part in zip(WEIGHTS, parts, strict=True)), -1, 1)
    if (height, width) != (SIDE, SIDE):
        pattern = cv2.resize(pattern, (width, height), interpolation=cv2.INTER_LINEAR)
    return np.asarray(pattern, np.float32)
