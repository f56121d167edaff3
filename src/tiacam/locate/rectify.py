"""Rectifying: what lies inside a quadrilateral of a photo, pulled straight, as the square that a model takes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tiacam.image import shrink_whole

Pixels = NDArray[np.uint8]
Corners = NDArray[np.float64]  # (4, 2) x and y, continuous: pixel (0, 0) covers [0, 1) x [0, 1)

UNIT_SQUARE: Corners = np.array([(0, 0), (1, 0), (1, 1), (0, 1)], np.float64)
NEXT = np.array([1, 2, 3, 0])  # the corner behind each; np.roll takes ten times as long as looking it up
MOST_MIRRORED = 3  # sides of the seen part, by which the rest may reach beyond it and still be mirrored
SLACK = 4  # whole pixels kept around a quadrilateral, so that interpolation at its edge sees real neighbours


def rectify(pixels: Pixels, corners: ArrayLike, side: int) -> Pixels:
    """The part of (H, W, 3) inside `corners` (tl, tr, br, bl in pixels) as (side, side, 3), without aliasing.

    What lies outside of the photo comes out as its mirror image, which a model takes for far more like the picture
    than a plain colour.
    """
    return straighten(pixels, corners, side, side, mirrored=True)


def straighten(
    pixels: Pixels, corners: ArrayLike, width: int, height: int, *, mirrored: bool = False
) -> Pixels:
    """The same of a photo in colour or grey, as a rectangle.

    Unless it is mirrored, what lies outside of the photo comes out in the mean colour of the photo around the
    quadrilateral.
    """
    import cv2  # on first use, because it takes its time

    quad = check_corners(corners)
    part, origin = _surroundings(pixels, quad)
    scale = math.sqrt(area(quad) / (width * height))  # photo pixels for one of the result
    # Whole steps first: the mean over a block is fast and exact.
    coarse = min(max(1, int(scale)), *part.shape[:2])
    photo = shrink_whole(part, coarse, coarse)
    # OpenCV counts from the middle of the first pixel, we from its corner.
    matrix = homography(UNIT_SQUARE * (width, height) - 0.5, (quad - origin) / coarse - 0.5)
    if mirrored and _reaches_little(part, quad - origin):
        border: dict[str, Any] = {"borderMode": cv2.BORDER_REFLECT}
    else:
        border = {"borderMode": cv2.BORDER_CONSTANT, "borderValue": _mean_colour(part)}
    flags = cv2.INTER_CUBIC | cv2.WARP_INVERSE_MAP
    return np.asarray(cv2.warpPerspective(photo, matrix, (width, height), flags=flags, **border), np.uint8)


def check_corners(corners: ArrayLike) -> Corners:
    """Four finite corners around a convex area, as an array; ValueError otherwise."""
    quad = np.asarray(corners, np.float64)
    if quad.shape != (4, 2) or not np.isfinite(quad).all():
        raise ValueError(f"corners of shape {quad.shape}, wanted four finite points (4, 2)")
    if not is_convex(quad):
        raise ValueError(f"corners {quad.round(1).tolist()} do not enclose a convex area")
    return quad


def is_convex(quad: Corners) -> bool:
    """Whether the corners, in this order, turn the same way everywhere (either way round)."""
    edges = quad[NEXT] - quad
    following = edges[NEXT]
    turns = edges[:, 0] * following[:, 1] - edges[:, 1] * following[:, 0]
    return bool((turns > 0).all() or (turns < 0).all())


def area(quad: Corners) -> float:
    x, y = quad[:, 0], quad[:, 1]
    return float(abs(x @ np.append(y[1:], y[0]) - y @ np.append(x[1:], x[0])) / 2)


def homography(points: Corners, images: Corners) -> NDArray[np.float64]:
    """The 3×3 matrix that takes the four points to their images, its last entry one."""
    # Rows of the first four are what the images' x ask for, of the last four what their y ask for.
    system = np.zeros((8, 8))
    system[:4, :2] = system[4:, 3:5] = points
    system[:4, 2] = system[4:, 5] = 1
    system[:4, 6:] = -images[:, :1] * points
    system[4:, 6:] = -images[:, 1:] * points
    matrix = np.ones(9)
    matrix[:8] = np.linalg.solve(system, images.T.ravel())
    return matrix.reshape(3, 3)


def apply_homography(matrix: NDArray[np.float64], points: Corners) -> Corners:
    """Points (N, 2) through a 3×3 matrix."""
    seen = np.column_stack([points, np.ones(len(points))]) @ matrix.T
    return np.asarray(seen[:, :2] / seen[:, 2:])


def _surroundings(pixels: Pixels, quad: Corners) -> tuple[Pixels, Corners]:
    """The smallest box of whole pixels around the quadrilateral with some slack, and its origin."""
    height, width = pixels.shape[:2]
    left, top = np.clip(np.floor(quad.min(axis=0)) - SLACK, 0, (width - 1, height - 1)).astype(int)
    right, bottom = np.clip(np.ceil(quad.max(axis=0)) + SLACK, (left + 1, top + 1), (width, height)).astype(
        int
    )
    return np.ascontiguousarray(pixels[top:bottom, left:right]), np.array([left, top], np.float64)


def _reaches_little(part: Pixels, quad: Corners) -> bool:
    """Whether mirroring has something to mirror; of a sliver OpenCV would go to and fro a thousand times a pixel."""
    size = np.array(part.shape[1::-1])
    return bool((quad >= -MOST_MIRRORED * size).all() and (quad <= (1 + MOST_MIRRORED) * size).all())


def _mean_colour(part: Pixels) -> tuple[int, ...]:
    import cv2

    sparse = part[:: max(1, part.shape[0] // 64), :: max(1, part.shape[1] // 64)]
    return tuple(round(mean) for mean in cv2.mean(np.ascontiguousarray(sparse)))
