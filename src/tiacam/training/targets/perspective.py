"""A real camera's view of a flat picture: OpenCV's pinhole projection through a lens that bends lines."""

from __future__ import annotations

from collections.abc import Mapping

import cv2
import numpy as np
from numpy.typing import NDArray

FOCAL_LENGTH = 1.57  # half the longer side is 1
NEAREST_DEPTH = 0.05
CORNERS = np.array([[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]], np.float64)


def photograph(pixels: NDArray[np.uint8], drawn: Mapping[str, NDArray[np.float32]]) -> NDArray[np.uint8]:
    """Photograph each picture from its drawn pose."""
    views = [
        photo_to_picture({name: float(values[row]) for name, values in drawn.items()})
        for row in range(len(pixels))
    ]
    return np.stack(
        [
            resample(picture, view, float(lens))
            for picture, view, lens in zip(pixels, views, drawn["lens"], strict=True)
        ]
    )


def photo_to_picture(pose: Mapping[str, float]) -> NDArray[np.float64]:
    """The matrix from the photo's points to the picture's, from the four corners as the camera sees them."""
    turned = rotation(2, pose["roll"]) @ rotation(0, pose["pitch"]) @ rotation(1, pose["yaw"])
    lens = np.diag([FOCAL_LENGTH, FOCAL_LENGTH, 1.0])
    ahead = np.array([0.0, 0.0, FOCAL_LENGTH])
    corners, _ = cv2.projectPoints(CORNERS, cv2.Rodrigues(turned)[0], ahead, lens, None)
    placed = corners.reshape(4, 2) * np.exp(pose["zoom"]) + [pose["shift_x"], pose["shift_y"]]
    return np.asarray(
        cv2.getPerspectiveTransform(placed.astype(np.float32), CORNERS[:, :2].astype(np.float32)), np.float64
    )


def rotation(axis: int, angle: float) -> NDArray[np.float64]:
    """A turn about one of the camera's axes."""
    vector = np.zeros(3)
    vector[axis] = angle
    return np.asarray(cv2.Rodrigues(vector)[0], np.float64)


def resample(picture: NDArray[np.uint8], view: NDArray[np.float64], lens: float) -> NDArray[np.uint8]:
    """Look up every pixel of the photo in the picture; outside it is black."""
    height, width = picture.shape[:2]
    half = max(height, width) / 2
    v, u = np.mgrid[:height, :width].astype(np.float64)
    u, v = (u + 0.5 - width / 2) / half, (v + 0.5 - height / 2) / half
    bend = 1 + lens * (u**2 + v**2)  # third-order radial distortion
    points = view @ np.stack([u * bend, v * bend, np.ones_like(u)]).reshape(3, -1)
    depth = np.maximum(points[2] * np.sign(view[2, 2]), NEAREST_DEPTH) * np.sign(view[2, 2])
    columns = (points[0] / depth * half + width / 2 - 0.5).reshape(height, width)
    rows = (points[1] / depth * half + height / 2 - 0.5).reshape(height, width)
    return np.asarray(
        cv2.remap(picture, columns.astype(np.float32), rows.astype(np.float32), cv2.INTER_LINEAR), np.uint8
    )
