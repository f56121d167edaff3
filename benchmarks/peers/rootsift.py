"""RootSIFT and RANSAC: local features matched against all pictures, the best candidates checked by a homography."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from benchmarks.peers.identifier import Pixels, Scores
from numpy.typing import NDArray

MOST_KEYPOINTS = 400  # a picture
LONG_SIDE = 640
RATIO = 0.8
CHECKED = 5  # candidates whose geometry is checked
REPROJECTION = 5.0  # pixels

Points = NDArray[np.float32]  # (K, 2)
Descriptors = NDArray[np.float32]  # (K, 128) unit


class RootSift:
    """Scores are the inliers of the best homography, plus a vote below one where none was looked for."""

    name = "RootSIFT + RANSAC"
    usual: float | None = 15.0

    def __init__(self) -> None:
        self._points: list[Points] = []
        self._all: Descriptors = np.empty((0, 128), np.float32)
        self._owner: NDArray[np.int64] = np.empty(0, np.int64)
        self._row: NDArray[np.int64] = np.empty(0, np.int64)

    def remember(self, pictures: Sequence[Pixels]) -> None:
        described = [describe(pixels) for pixels in pictures]
        self._points = [points for points, _ in described]
        self._all = np.concatenate([descriptors for _, descriptors in described])
        counts = [len(points) for points in self._points]
        self._owner = np.repeat(np.arange(len(counts)), counts)
        self._row = np.concatenate([np.arange(count) for count in counts])

    def score(self, photo: Pixels) -> Scores:
        points, descriptors = describe(photo)
        scores = np.zeros(len(self._points))
        if len(points) < 4:
            return scores
        query, found = self._match(descriptors)
        votes = np.bincount(self._owner[found], minlength=len(self._points))
        scores += votes / (votes.sum() + 1)
        for picture in np.argsort(-votes, kind="stable")[:CHECKED]:
            mine = self._owner[found] == picture
            there = self._points[picture][self._row[found[mine]]]
            scores[picture] += inliers(points[query[mine]], there)
        return scores

    def _match(self, descriptors: Descriptors) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Keypoints of the photo and of the gallery, where the nearest is clearly nearer than any other picture's."""
        similar = descriptors @ self._all.T  # (K, G)
        best = similar.argmax(axis=1)
        nearest = similar[np.arange(len(best)), best]
        similar[self._owner[best][:, None] == self._owner[None, :]] = -1  # a picture may repeat itself
        second = similar.max(axis=1)
        clear = np.sqrt(2 - 2 * np.minimum(nearest, 1)) < RATIO * np.sqrt(2 - 2 * np.minimum(second, 1))
        return np.flatnonzero(clear), best[clear]

    @property
    def bytes_a_record(self) -> float:
        """A byte for each value of a descriptor, two for each coordinate."""
        return len(self._all) / max(1, len(self._points)) * (128 + 4)


def describe(pixels: Pixels) -> tuple[Points, Descriptors]:
    grey = np.asarray(cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY), np.uint8)
    return describe_grey(grey, MOST_KEYPOINTS)


def describe_grey(grey: NDArray[np.uint8], most: int) -> tuple[Points, Descriptors]:
    """The strongest keypoints of grey levels (H, W) at LONG_SIDE; all of them where `most` is 0."""
    scale = min(1.0, LONG_SIDE / max(grey.shape))
    if scale < 1:
        grey = np.asarray(cv2.resize(grey, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), np.uint8)
    keypoints, raw = cv2.SIFT_create(nfeatures=most).detectAndCompute(grey, None)
    if raw is None:
        return np.empty((0, 2), np.float32), np.empty((0, 128), np.float32)
    rooted = np.sqrt(raw / np.maximum(raw.sum(axis=1, keepdims=True), 1e-6))
    return np.array([keypoint.pt for keypoint in keypoints], np.float32), rooted.astype(np.float32)


def inliers(photo: Points, picture: Points) -> int:
    if len(photo) < 4:
        return 0
    cv2.setRNGSeed(0)
    matrix, mask = cv2.findHomography(picture, photo, cv2.RANSAC, REPROJECTION)
    return 0 if matrix is None else int(mask.sum())
