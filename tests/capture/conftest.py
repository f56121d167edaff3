"""Pictures to capture, and how to get one back out of a capture."""

from __future__ import annotations

from collections.abc import Callable

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from tiacam.capture import Capture
from tiacam.capture.textures import scenery

Rectify = Callable[[Capture, tuple[int, int]], NDArray[np.uint8]]


@pytest.fixture(scope="session")
def picture() -> NDArray[np.uint8]:
    """240 × 160 with a different mark in every corner, so that no turn or mirroring passes unseen."""
    made = cv2.resize(scenery(np.random.default_rng(3), 240), (240, 160), interpolation=cv2.INTER_AREA)
    for (x, y), colour in zip(
        ((24, 24), (216, 24), (216, 136), (24, 136)),
        ((250, 20, 20), (20, 240, 20), (30, 30, 250), (250, 250, 250)),
        strict=True,
    ):
        cv2.rectangle(made, (x - 14, y - 14), (x + 14, y + 14), (0, 0, 0), -1)
        cv2.circle(made, (x, y), 10, colour, -1)
    return np.asarray(made, np.uint8)


@pytest.fixture(scope="session")
def rectify() -> Rectify:
    """Cut the picture out of a capture by its corners."""

    def cut(capture: Capture, size: tuple[int, int]) -> NDArray[np.uint8]:
        width, height = size
        flat = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
        matrix = cv2.getPerspectiveTransform(capture.corners.astype(np.float32), flat)
        return np.asarray(cv2.warpPerspective(capture.photo, matrix, size), np.uint8)

    return cut
