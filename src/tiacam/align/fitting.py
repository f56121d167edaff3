"""Fitting: which landmarks of a record a photo shows, and the homography that takes the picture to its place there."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tiacam.align.evidence import geometric_p_value
from tiacam.align.keypoints import Floats, Keypoints
from tiacam.align.landmarks import Landmarks
from tiacam.products import product

RATIO = 0.9  # a match counts if the next best, elsewhere, is at most so good
ELSEWHERE = 0.01  # of the photo's longer side
FEWEST = 6  # matches that turn alike, before a homography is tried
TURN_BIN = math.radians(30)
TOLERANCE = 0.012  # of the photo's longer side, within which a landmark must lie
TURN_TOLERANCE = math.radians(25)
PIXELS = 1000.0  # to a side: the scale in which the homography is searched
SMALL_EXTENT = 0.05  # of the picture: landmarks in so small a part of it tell no perspective
LARGEST_STRETCH = 25.0  # of areas across the picture: beyond, no camera saw it like this

Matrix = NDArray[np.float64]
Indices = NDArray[np.intp]
Point = tuple[float, float]
Corners = tuple[Point, Point, Point, Point]


@dataclass(frozen=True)
class Matches:
    """Landmarks and the keypoints that may be them."""

    landmarks: Indices
    keypoints: Indices


@dataclass(frozen=True)
class Alignment:
    """A picture found in a photo: `corners` in fractions of the photo, top left first, and how sure that is."""

    corners: Corners
    inliers: int
    matched: int
    p_value: float


def align(landmarks: Landmarks, photo: Keypoints) -> Alignment | None:
    """Where in the photo the picture is, if its landmarks agree on one place."""
    if len(landmarks) < FEWEST or len(photo) < FEWEST:
        return None
    matches = match(landmarks, photo)
    turns = photo.angles[matches.keypoints] - landmarks.angles[matches.landmarks]
    alike = turn_alike(turns)
    if alike.sum() < FEWEST:
        return None
    scale = np.array([photo.aspect, 1.0]) / max(photo.aspect, 1.0)  # the photo's longer side is one
    source = landmarks.points[matches.landmarks].astype(np.float64)
    target = photo.points[matches.keypoints] * scale
    matrix = fit_homography(source[alike], target[alike])
    if matrix is None or not is_plausible(matrix):
        return None
    inside = agree(matrix, source, target, turns, landmarks.aspect)
    if inside.sum() >= 3 and extent(source[inside]) < SMALL_EXTENT:
        matrix = fit_affine(source[inside], target[inside])
        inside = agree(matrix, source, target, turns, landmarks.aspect)
    p_value = geometric_p_value(landmarks.points[matches.landmarks], inside, chance(scale))
    corners = warp(matrix, np.array([(0, 0), (1, 0), (1, 1), (0, 1)], np.float64)) / scale
    tl, tr, br, bl = ((float(x), float(y)) for x, y in corners)
    return Alignment((tl, tr, br, bl), int(inside.sum()), len(inside), p_value)


def match(landmarks: Landmarks, photo: Keypoints) -> Matches:
    """For each landmark its best keypoint, if none elsewhere is nearly as good. A photo's point is used once."""
    likeness = product(photo.descriptors, landmarks.signs)  # (K, L)
    best = likeness.argmax(axis=0)
    value = likeness[best, np.arange(len(best))]
    clear = without_rival(likeness, best, value, photo.points)
    strongest = clear[np.argsort(-value[clear], kind="stable")]
    _, once = np.unique(best[strongest], return_index=True)
    kept = np.sort(strongest[once])
    return Matches(kept, best[kept])


def without_rival(likeness: Floats, best: Indices, value: Floats, points: Floats) -> Indices:
    """The landmarks, columns of `likeness`, whose best keypoint has no rival elsewhere.

    A place may have several keypoints that turn differently: those are no rivals.
    """
    close = likeness >= np.minimum(RATIO * value, value)
    rival, column = np.divmod(np.flatnonzero(close), len(best))
    apart = np.abs(points[rival] - points[best[column]]).max(axis=1) > ELSEWHERE
    clear = np.ones(len(best), bool)
    clear[column[apart]] = False
    return np.flatnonzero(clear)


def turn_alike(turns: Floats) -> NDArray[np.bool_]:
    """The matches that turn by about the most common angle."""
    if not len(turns):
        return np.zeros(0, bool)
    difference = np.abs(wrap(turns[:, None] - turns[None, :])) < TURN_BIN
    return np.asarray(difference[difference.sum(axis=1).argmax()])


def fit_homography(source: Matrix, target: Matrix) -> Matrix | None:
    """The homography that most matches agree on, as OpenCV's MAGSAC finds it; it expects coordinates like pixels."""
    import cv2

    cv2.setRNGSeed(0)
    matrix, _ = cv2.findHomography(
        source * PIXELS,
        target * PIXELS,
        cv2.USAC_MAGSAC,
        TOLERANCE * PIXELS / 2,
        maxIters=2000,
        confidence=0.9999,
    )
    if matrix is None or not np.isfinite(matrix).all():
        return None
    shrink = np.diag([1 / PIXELS, 1 / PIXELS, 1.0])
    return np.asarray(shrink @ matrix @ np.linalg.inv(shrink), np.float64)


def extent(points: Matrix) -> float:
    """The share of the picture that lies between the points."""
    import cv2

    return float(cv2.contourArea(cv2.convexHull(points.astype(np.float32))))


def fit_affine(source: Matrix, target: Matrix) -> Matrix:
    """The affine map of least squares: from one corner of the picture, a homography's far side would be a guess."""
    solution, *_ = np.linalg.lstsq(np.column_stack([source, np.ones(len(source))]), target, rcond=None)
    return np.vstack([solution.T, (0.0, 0.0, 1.0)])


def is_plausible(matrix: Matrix) -> bool:
    """Whether a camera can see a flat picture so: not mirrored, not folded, not stretched beyond measure."""
    depth = (np.array([(0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)], np.float64) @ matrix.T)[:, 2]
    if depth.min() * depth.max() <= 0:
        return False
    size = np.linalg.det(matrix) / depth**3  # by how much areas grow at each corner
    return bool(size.min() > 1e-4 and size.max() < LARGEST_STRETCH * size.min())


def agree(matrix: Matrix, source: Matrix, target: Matrix, turns: Floats, aspect: float) -> NDArray[np.bool_]:
    """Which matches lie where the homography says, turned as it turns there."""
    near = np.linalg.norm(warp(matrix, source) - target, axis=1) < TOLERANCE
    step = 1e-3
    right = warp(matrix, source + np.array([step, 0.0])) - warp(matrix, source)
    down = warp(matrix, source + np.array([0.0, step * aspect])) - warp(matrix, source)
    # the rotation nearest to the local map of true (not squashed) proportions
    expected = np.arctan2(right[:, 1] - down[:, 0], right[:, 0] + down[:, 1])
    return np.asarray(near & (np.abs(wrap(turns - expected)) < TURN_TOLERANCE))


def chance(scale: NDArray[np.float64]) -> float:
    """The probability that a random match agrees with a given homography: its place and its angle."""
    return float(math.pi * TOLERANCE**2 / scale.prod() * TURN_TOLERANCE / math.pi)


def warp(matrix: Matrix, points: Matrix) -> Matrix:
    seen = np.column_stack([points, np.ones(len(points))]) @ matrix.T
    return np.asarray(seen[:, :2] / seen[:, 2:])


def wrap(angle: Floats) -> Floats:
    """Into (-π, π]."""
    return np.asarray((angle + np.pi) % (2 * np.pi) - np.pi)
