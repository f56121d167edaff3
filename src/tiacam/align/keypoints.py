"""Keypoints of a picture: SIFT, its descriptors projected onto the 64 axes whose signs a record keeps.

OpenCV is the authority for detector and descriptor; it is imported on first use, because it takes its time.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tiacam.image import Picture, shrink
from tiacam.products import product

AXES_FILE = Path(__file__).parent / "files" / "axes.npz"
AXES = 64
CONTRAST = 0.02  # below OpenCV's 0.04: photos of prints are flat
EDGE, SIGMA, LAYERS = 10, 1.6, 3
CELLS = 8  # to a side, over which keypoints of a photo are spread
SURPLUS = 2.5  # times as many are found then as are kept

Floats = NDArray[np.float32]


@dataclass(frozen=True)
class Keypoints:
    """N keypoints, the best first. Points are in fractions of the picture's width and height."""

    points: Floats  # (N, 2)
    angles: Floats  # (N,) radians, clockwise, in a picture of its true proportions
    descriptors: Floats  # (N, 64) unit vectors
    aspect: float  # width over height
    strongest: Floats  # (M, 2) points of the strongest that were found, wherever they are

    def __len__(self) -> int:
        return len(self.points)


def find_keypoints(
    picture: Picture | NDArray[np.uint8],
    longer_side: int,
    count: int,
    *,
    spread: bool = False,
    strongest: int | None = None,
) -> Keypoints:
    """At most `count` keypoints, found at the given size; a picture without texture may have none.

    The strongest ones, or, with `spread`, the strongest of every part: text or gravel beside a picture would
    otherwise leave none for the picture. `strongest` (default: `count`) are listed as such wherever they are.
    """
    grey = shrink_grey(picture.pixels if isinstance(picture, Picture) else picture, longer_side)
    height, width = grey.shape
    found, raw = detector(round(SURPLUS * count) if spread else count).detectAndCompute(grey, None)
    if raw is None or not len(raw):
        return Keypoints(
            np.empty((0, 2), np.float32),
            np.empty(0, np.float32),
            np.empty((0, AXES), np.float32),
            width / height,
            np.empty((0, 2), np.float32),
        )
    points = np.array([point.pt for point in found], np.float32)
    points /= np.array([width, height], np.float32)
    strength = np.array([point.response for point in found], np.float32)
    ranked = np.argsort(-strength, kind="stable")
    order = by_rank_in_cell(points, strength)[:count] if spread else ranked[:count]
    angles = np.radians(np.array([found[i].angle for i in order], np.float32))
    return Keypoints(
        points[order], angles, project(raw[order]), width / height, points[ranked[: strongest or count]]
    )


def by_rank_in_cell(points: Floats, strength: Floats) -> NDArray[np.intp]:
    """An order that begins with the strongest point of every cell, then has the second of each, and so on."""
    across, down = np.clip((points * CELLS).astype(np.intp), 0, CELLS - 1).T
    cell = across * CELLS + down
    order = np.lexsort((-strength, cell))  # cell after cell, the strongest first
    first = np.searchsorted(cell[order], cell[order])
    rank = np.empty(len(order), np.intp)
    rank[order] = np.arange(len(order)) - first
    return np.lexsort((-strength, rank))


def project(descriptors: Floats) -> Floats:
    """RootSIFT (square roots of shares) on our axes, as unit vectors (N, 64)."""
    mean, axes = load_axes()
    shares = descriptors / np.maximum(descriptors.sum(axis=1, keepdims=True), 1e-9)
    projected = product(np.sqrt(shares) - mean, axes.T)
    return np.asarray(
        projected / np.maximum(np.linalg.norm(projected, axis=1, keepdims=True), 1e-9), np.float32
    )


def shrink_grey(pixels: NDArray[np.uint8], longer_side: int) -> NDArray[np.uint8]:
    """Grey levels at most `longer_side` long; small pictures stay as they are."""
    grey = to_grey(pixels)
    height, width = grey.shape
    scale = longer_side / max(height, width)
    return shrink(grey, max(1, round(width * scale)), max(1, round(height * scale))) if scale < 1 else grey


def to_grey(pixels: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """(H, W, 3) as (H, W); grey levels stay as they are."""
    import cv2

    return pixels if pixels.ndim == 2 else np.asarray(cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY), np.uint8)


@cache
def detector(count: int) -> Any:
    import cv2

    return cv2.SIFT_create(  # type: ignore[attr-defined]
        count, LAYERS, CONTRAST, EDGE, SIGMA
    )


@cache
def load_axes() -> tuple[Floats, Floats]:
    """Mean (128,) and axes (128, 64) of RootSIFT descriptors; benchmarks/landmark_axes.py made the file."""
    with np.load(AXES_FILE) as content:
        return content["mean"].astype(np.float32), content["axes"].astype(np.float32)
