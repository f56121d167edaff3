"""Fingers that hold the picture and hide part of it."""

from __future__ import annotations

import math

import cv2
import numpy as np
from numpy.typing import NDArray

from tiacam.capture.geometry import Projection
from tiacam.capture.kinds import Field
from tiacam.capture.textures import colour_of

QUARTER = 4  # the hand is drawn at a quarter of the resolution: its edges are soft


def fingers(projection: Projection, count: int, seed: int) -> tuple[Field, Field] | None:
    """Opacity (H, W) and reflected light (H, W, 3) of the fingers in the frame; None without any."""
    if not count:
        return None
    rng = np.random.default_rng(seed)
    width, height = (-(-side // QUARTER) for side in projection.frame)
    opacity = np.zeros((height, width), np.uint8)
    for tip, root, thickness in _bones(projection, count, rng):
        cv2.line(opacity, _pixel(tip), _pixel(root), 255, max(1, int(thickness / QUARTER)), cv2.LINE_AA)
    skin = colour_of(rng.uniform(0.03, 0.09), rng.uniform(0.2, 0.45), rng.uniform(0.4, 0.9)) / 255
    round_off = cv2.GaussianBlur(opacity, (0, 0), max(1.0, thickness / QUARTER / 4)).astype(np.float32) / 255
    shade = (0.35 + 0.65 * round_off)[..., None] * skin**2.2
    frame = projection.frame
    soft = cv2.GaussianBlur(opacity, (0, 0), 0.8).astype(np.float32) / 255
    return np.asarray(cv2.resize(soft, frame), np.float32), np.asarray(cv2.resize(shade, frame), np.float32)


def _bones(
    projection: Projection, count: int, rng: np.random.Generator
) -> list[tuple[NDArray[np.float64], NDArray[np.float64], float]]:
    """Tip, root and thickness of each finger: side by side, from beyond an edge of the picture inwards."""
    half = np.array([projection.width, projection.height]) / 2
    side = rng.integers(4)
    outwards = np.array([math.cos(side * math.pi / 2), math.sin(side * math.pi / 2)]).round()
    along = np.array([-outwards[1], outwards[0]])
    start = rng.uniform(-0.6, 0.6)
    bones = []
    for finger in range(count):
        place = outwards * half + along * half * (start + 0.16 * finger)
        reach = rng.uniform(0.02, 0.10)
        ends = projection.to_photo(np.array([place - outwards * reach, place + outwards * 0.9 + along * 0.1]))
        across = projection.to_photo(np.array([place, place + along * 0.10]))
        bones.append((ends[0], ends[1], float(np.linalg.norm(across[1] - across[0]))))
    return bones


def _pixel(point: NDArray[np.float64]) -> tuple[int, int]:
    limited = np.clip(point / QUARTER, -20000, 20000)
    return int(limited[0]), int(limited[1])
