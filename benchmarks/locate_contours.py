"""The classical way to find a picture in a photo: closed contours with four corners, the largest one wins."""

from __future__ import annotations

from collections.abc import Iterator

import cv2
import numpy as np
from numpy.typing import NDArray

LONG_SIDE = 640
LEAST_AREA, MOST_AREA = 0.02, 0.97  # of the photo
CANNY = ((20, 60), (50, 150), (100, 250))
THRESHOLDS = (64, 128, 192)
STRAIGHTNESS = 0.02  # of the contour's length, how far a polygon may stray from it

Pixels = NDArray[np.uint8]
Corners = NDArray[np.float64]


def locate_by_contours(photo: Pixels) -> Corners | None:
    """Corners (4, 2) in pixels of the largest convex four-cornered contour, or None."""
    scale = LONG_SIDE / max(photo.shape[:2])
    small = cv2.resize(photo, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    frame = small.shape[0] * small.shape[1]
    best: tuple[float, Corners] | None = None
    for edges in edge_maps(np.asarray(small, np.uint8)):
        for quad in four_cornered(edges):
            area = cv2.contourArea(quad.astype(np.float32))
            if LEAST_AREA * frame < area < MOST_AREA * frame and (best is None or area > best[0]):
                best = (area, quad)
    return None if best is None else best[1] / scale


def edge_maps(small: Pixels) -> Iterator[Pixels]:
    """Edges and thresholds of the grey photo and of its saturation, gaps of a few pixels closed."""
    calm = cv2.bilateralFilter(small, 7, 50, 5)
    grey, saturation = cv2.cvtColor(calm, cv2.COLOR_RGB2GRAY), cv2.cvtColor(calm, cv2.COLOR_RGB2HSV)[..., 1]
    kernel = np.ones((3, 3), np.uint8)
    for channel in (grey, saturation):
        for low, high in CANNY:
            yield np.asarray(cv2.dilate(cv2.Canny(channel, low, high), kernel, iterations=2), np.uint8)
        for level in (*THRESHOLDS, 0):
            kind = cv2.THRESH_BINARY | (cv2.THRESH_OTSU if level == 0 else 0)
            yield np.asarray(cv2.threshold(channel, level, 255, kind)[1], np.uint8)


def four_cornered(edges: Pixels) -> Iterator[Corners]:
    contours, _ = cv2.findContours(edges, cv2.RETR_LIST, cv2.CHAIN_APPROX_SIMPLE)
    for contour in contours:
        polygon = cv2.approxPolyDP(contour, STRAIGHTNESS * cv2.arcLength(contour, True), True)
        if len(polygon) == 4 and cv2.isContourConvex(polygon):
            yield polygon.reshape(4, 2).astype(np.float64) + 0.5
