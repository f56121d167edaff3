"""A contact sheet: the picture and what became of it."""

from __future__ import annotations

import math
from collections.abc import Sequence

import cv2
import numpy as np

from tiacam.capture.kinds import Capture, Pixels, Points

CELL = 320
OUTLINE = (255, 0, 200)
PAPER = 244


def outlined(capture: Capture) -> Pixels:
    """The photo with the picture's true outline."""
    return _outlined(capture.photo, capture.corners)


def contact_sheet(pictures: Sequence[Pixels], columns: int = 4, cell: int = CELL) -> Pixels:
    """The pictures in rows, each fitted into a square cell."""
    rows = math.ceil(len(pictures) / columns)
    sheet = np.full((rows * cell, columns * cell, 3), PAPER, np.uint8)
    for index, picture in enumerate(pictures):
        row, column = divmod(index, columns)
        _place(sheet[row * cell : (row + 1) * cell, column * cell : (column + 1) * cell], picture)
    return sheet


def _outlined(photo: Pixels, corners: Points) -> Pixels:
    drawn = photo.copy()
    thickness = max(1, round(max(photo.shape[:2]) / 400))
    cv2.polylines(drawn, [np.round(corners).astype(np.int32)], True, OUTLINE, thickness, cv2.LINE_AA)
    return drawn


def _place(cell: Pixels, picture: Pixels) -> None:
    """Fit the picture into the cell, centred, with a small gap."""
    side = cell.shape[0] - 8
    factor = side / max(picture.shape[:2])
    size = (max(1, round(picture.shape[1] * factor)), max(1, round(picture.shape[0] * factor)))
    small = cv2.resize(picture, size, interpolation=cv2.INTER_AREA)
    left, top = (cell.shape[1] - size[0]) // 2, (cell.shape[0] - size[1]) // 2
    cell[top : top + size[1], left : left + size[0]] = small
