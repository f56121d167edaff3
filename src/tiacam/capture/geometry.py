"""Where each point of the picture's surface lands in the photo, and back: pose, curl and lens.

Surface coordinates: the picture lies centred on the origin and its longer side has length 1. The frame is measured
in its own longer side, so that a pose does not depend on the number of pixels.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from tiacam.capture.kinds import Field, Points

STRIDE = 8  # maps are computed on every eighth pixel: they are smooth, and interpolation errs by under 0.001 pixels
FIXED_POINT_STEPS = 8
STEPS_BACK = 50


@dataclass(frozen=True)
class Pose:
    """How the camera looks at the picture; angles in radians."""

    area: float  # share of the frame that the whole picture is to cover, parts outside the frame included
    overhang: float  # most of a frame's side that may lie outside; the camera steps back, whatever the area
    roll: float  # turn of the picture in the frame, clockwise as seen
    tilt: float  # angle between the optical axis and the picture's normal
    azimuth: float  # direction in which it is tilted
    shift_x: float  # the picture's centre relative to the frame's, in frame widths
    shift_y: float
    focal: float  # focal length in longer sides of the frame
    barrel: float  # radial distortion at the frame's corner, positive bulges outwards
    curl: float  # angle by which a sheet bends across its extent; 0 is flat
    curl_across: bool  # bends along the surface's x axis, else along y


@dataclass(frozen=True)
class Projection:
    """A pose applied to a surface of given extent and a frame of given size."""

    pose: Pose
    width: float  # of the picture, in surface units
    height: float
    frame: tuple[int, int]  # width and height in pixels
    rotation: NDArray[np.float64]  # (3, 3) surface to camera
    translation: NDArray[np.float64]  # (3,)

    @property
    def bend(self) -> float:
        """Curvature of the sheet in reciprocal surface units."""
        return self.pose.curl / (self.width if self.pose.curl_across else self.height)

    def to_photo(self, surface: Points) -> Points:
        """Surface points (N, 2) to photo points (N, 2)."""
        camera = self._lift(np.asarray(surface, np.float64)) @ self.rotation.T + self.translation
        ideal = self.pose.focal * camera[..., :2] / camera[..., 2:]
        return self._unit_to_pixels(self._distort(ideal))

    def to_surface(self, photo: Points) -> Points:
        """Photo points (..., 2) to the surface points seen there (..., 2)."""
        ideal = self._undistort(self._pixels_to_unit(np.asarray(photo, np.float64)))
        focal = np.full((*ideal.shape[:-1], 1), self.pose.focal)
        direction = np.concatenate([ideal, focal], axis=-1) @ self.rotation
        centre = -self.rotation.T @ self.translation
        return self._flatten(self._meet(centre, direction))

    def corners(self) -> Points:
        """The picture's corners in the photo: tl, tr, br, bl."""
        half = np.array([self.width, self.height]) / 2
        return self.to_photo(np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * half)

    # -- the sheet's curl: height over the plane is bend·x²/2 --------------------------------------------------

    def _meet(self, centre: NDArray[np.float64], direction: NDArray[np.float64]) -> NDArray[np.float64]:
        """Where rays meet the bent sheet, by fixed-point steps on its height."""
        axis = 0 if self.pose.curl_across else 1
        met = centre - direction * (centre[2] / direction[..., 2:])
        for _ in range(FIXED_POINT_STEPS if self.bend else 0):
            height = 0.5 * self.bend * np.clip(met[..., axis], -1, 1) ** 2
            met = centre + direction * ((height - centre[2]) / direction[..., 2])[..., None]
        return np.asarray(met)

    def _flatten(self, met: NDArray[np.float64]) -> Points:
        """Points on the bent sheet to lengths along it."""
        flat = met[..., :2].copy()
        if self.bend:
            axis = 0 if self.pose.curl_across else 1
            flat[..., axis] = _arc_length(met[..., axis], self.bend)
        return flat

    def _lift(self, surface: Points) -> NDArray[np.float64]:
        """Lengths along the sheet to points in space."""
        space = np.concatenate([surface, np.zeros((*surface.shape[:-1], 1))], axis=-1)
        if self.bend:
            axis = 0 if self.pose.curl_across else 1
            x = surface[..., axis].copy()
            for _ in range(FIXED_POINT_STEPS):
                x -= (_arc_length(x, self.bend) - surface[..., axis]) / np.hypot(1, self.bend * x)
            space[..., axis], space[..., 2] = x, 0.5 * self.bend * x**2
        return space

    # -- the lens ------------------------------------------------------------------------------------------------

    def _distort(self, ideal: Points) -> Points:
        bent = ideal
        for _ in range(FIXED_POINT_STEPS):
            bent = ideal / (1 + self._strength() * np.sum(bent**2, axis=-1, keepdims=True))
        return bent

    def _undistort(self, bent: Points) -> Points:
        return np.asarray(bent * (1 + self._strength() * np.sum(bent**2, axis=-1, keepdims=True)))

    def _strength(self) -> float:
        return self.pose.barrel / ((self.frame[0] ** 2 + self.frame[1] ** 2) / (4 * max(self.frame) ** 2))

    def _unit_to_pixels(self, unit: Points) -> Points:
        return unit * max(self.frame) + np.array(self.frame) / 2

    def _pixels_to_unit(self, pixels: Points) -> Points:
        return (pixels - np.array(self.frame) / 2) / max(self.frame)


def _arc_length(x: NDArray[np.float64], bend: float) -> NDArray[np.float64]:
    slope = bend * x
    return np.asarray((x * np.hypot(1, slope) + np.arcsinh(slope) / bend) / 2)


def project(pose: Pose, picture: tuple[int, int], frame: tuple[int, int]) -> Projection:
    """The projection that puts a picture of this width and height into this frame, at the area the pose asks for."""
    longest = max(picture)
    width, height = picture[0] / longest, picture[1] / longest
    rotation = _tilt(pose.tilt, pose.azimuth) @ _roll(pose.roll)
    frame_area = frame[0] * frame[1] / max(frame) ** 2
    distance = pose.focal * math.sqrt(width * height * math.cos(pose.tilt) / (pose.area * frame_area))
    for _ in range(3):
        projection = _at_distance(pose, (width, height), frame, rotation, distance)
        distance *= math.sqrt(quadrilateral_area(projection.corners()) / (pose.area * frame[0] * frame[1]))
    for _ in range(STEPS_BACK):
        projection = _at_distance(pose, (width, height), frame, rotation, distance)
        if _overhang(projection) <= pose.overhang:
            break
        distance *= 1.04
    return projection


def _overhang(projection: Projection) -> float:
    """How far the picture reaches beyond the frame, in its sides; negative if it stays inside."""
    shares = projection.corners() / np.array(projection.frame)
    return float(max(-shares.min(), shares.max() - 1))


def _at_distance(
    pose: Pose,
    extent: tuple[float, float],
    frame: tuple[int, int],
    rotation: NDArray[np.float64],
    distance: float,
) -> Projection:
    shift = np.array([pose.shift_x * frame[0], pose.shift_y * frame[1]]) / max(frame)
    translation = np.array([*(shift * distance / pose.focal), distance])
    return Projection(pose, *extent, frame, rotation, translation)


def _roll(angle: float) -> NDArray[np.float64]:
    cos, sin = math.cos(angle), math.sin(angle)
    return np.array([[cos, -sin, 0], [sin, cos, 0], [0, 0, 1]])


def _tilt(angle: float, azimuth: float) -> NDArray[np.float64]:
    axis = np.array([math.cos(azimuth), math.sin(azimuth), 0.0]) * angle
    return np.asarray(cv2.Rodrigues(axis)[0], np.float64)


def quadrilateral_area(corners: Points) -> float:
    x, y = corners[:, 0], corners[:, 1]
    return float(abs(np.dot(x, np.roll(y, -1)) - np.dot(y, np.roll(x, -1))) / 2)


@dataclass(frozen=True)
class SurfaceMap:
    """For every pixel of a frame, the surface point seen there, and how fast it changes."""

    x: Field  # (H, W)
    y: Field
    coarse: Points  # (h, w, 2) the same on every STRIDE-th pixel, with a border of one cell
    offset: tuple[int, int] = (0, 0)  # row and column of the frame that this part begins at

    def cut(self, rows: slice, columns: slice) -> SurfaceMap:
        """A part of the frame; its coarse grid stays that of the whole."""
        top, left = self.offset
        return SurfaceMap(
            np.ascontiguousarray(self.x[rows, columns]),
            np.ascontiguousarray(self.y[rows, columns]),
            self.coarse,
            (top + rows.start, left + columns.start),
        )

    def refine(self, coarse: NDArray[np.floating]) -> Field:
        """A field on the coarse grid (h, w), at every pixel of this part of the frame (H, W)."""
        rows, columns = coarse.shape
        fine = cv2.resize(coarse.astype(np.float32), (columns * STRIDE, rows * STRIDE))
        top, left = (STRIDE + start for start in self.offset)
        return np.asarray(fine[top : top + self.x.shape[0], left : left + self.x.shape[1]], np.float32)

    def steps(self) -> tuple[Points, Points]:
        """Surface displacement for one pixel to the right and one down, on the coarse grid (h, w, 2)."""
        down, right = np.gradient(self.coarse, STRIDE, axis=(0, 1))
        return np.asarray(right), np.asarray(down)


def map_surface(projection: Projection) -> SurfaceMap:
    """Evaluate `to_surface` at every pixel centre of the frame."""
    width, height = projection.frame
    columns, rows = -(-width // STRIDE) + 2, -(-height // STRIDE) + 2
    x = (np.arange(columns) - 0.5) * STRIDE
    y = (np.arange(rows) - 0.5) * STRIDE
    coarse = projection.to_surface(np.stack(np.meshgrid(x, y), axis=-1))
    fine = cv2.resize(coarse.astype(np.float32), (columns * STRIDE, rows * STRIDE))
    inner = fine[STRIDE : STRIDE + height, STRIDE : STRIDE + width]
    return SurfaceMap(np.ascontiguousarray(inner[..., 0]), np.ascontiguousarray(inner[..., 1]), coarse)
