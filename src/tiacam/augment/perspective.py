"""T_geo: the picture seen from another viewpoint, a warp by a 3×3 matrix (§3.1, S5)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor, nn
from torch.nn import functional

from .coordinates import pixel_centres
from .distortion import Distortion, Params, Strength, full_precision, trim
from .ranges import LearnableRange, Limits

# Viewpoints from which people photograph a page or a screen: further round, a corner passes the horizon.
TILT = Limits(0.0, math.radians(35), start=(0.0, math.radians(20)))
# A phone held aslant; past 45° people turn the phone or the photo.
ROLL = Limits(0.0, math.radians(45), start=(0.0, math.radians(15)))
# Logarithm of the magnification: 0.7 leaves a wide margin around the picture, 1.4 cuts its rim off.
ZOOM = Limits(-0.35, 0.35, start=(-0.2, 0.1))
# The picture's centre off the photo's centre, in halves of the longer side.
SHIFT = Limits(0.0, 0.3, start=(0.0, 0.1))
# Third-order radial distortion of phone lenses, barrel and pincushion, at the edge of the longer side.
LENS = Limits(0.0, 0.12, start=(0.0, 0.06))
# A phone's main camera sees about 65° along the longer side: half of it spans tan 32.5° = 1 / 1.57.
FOCAL_LENGTH = 1.57
# Behind the horizon the depth would change sign; kept positive it sends the pixel far outside the picture.
NEAREST_DEPTH = 0.05
# How far the network may move an entry of the matrix: the size of what a lens does, less than any viewpoint.
MATRIX_LIMIT = 0.15

Border = Literal["zeros", "border", "reflection"]


@dataclass(frozen=True)
class PerspectiveParams(Params):
    """A camera's pose before the picture's plane; radians, and halves of the longer side (B,)."""

    yaw: Tensor
    pitch: Tensor
    roll: Tensor
    zoom: Tensor
    shift_x: Tensor
    shift_y: Tensor
    lens: Tensor

    def pose(self) -> Tensor:
        """What the network is told, in comparable units (B, 7)."""
        angles = [self.yaw / TILT.high, self.pitch / TILT.high, self.roll / ROLL.high, self.zoom / ZOOM.high]
        return torch.stack(
            [*angles, self.shift_x / SHIFT.high, self.shift_y / SHIFT.high, self.lens / LENS.high], 1
        )


class Perspective(Distortion[PerspectiveParams]):
    """x'(u, v) = x(A [u, v, 1]ᵀ), where A follows from the camera's pose and a learned correction.

    The operator is the exact matrix of a pinhole camera. Real lenses bend lines, which no matrix can; the
    network of S5 sees the picture and the pose and regresses the nine numbers Δ of the correction A (I + Δ)
    that comes closest. In adversarial training the same numbers let the viewpoint depend on the picture.
    """

    name = "perspective"

    def __init__(self, network: nn.Module | None = None, border: Border = "zeros") -> None:
        super().__init__()
        self.tilt = LearnableRange(TILT)
        self.roll = LearnableRange(ROLL)
        self.zoom = LearnableRange(ZOOM)
        self.shift = LearnableRange(SHIFT)
        self.lens = LearnableRange(LENS)
        self.network = network
        self.border = border

    def sample(
        self, shape: Sequence[int], generator: torch.Generator, strength: Strength = 1.0
    ) -> PerspectiveParams:
        dice, batch = self.dice(generator), shape[0]
        return PerspectiveParams(
            strength=self.spread_strength(shape, strength),
            yaw=dice.signed(self.tilt, batch),
            pitch=dice.signed(self.tilt, batch),
            roll=dice.signed(self.roll, batch),
            zoom=self.zoom(dice.uniform(batch)),
            shift_x=dice.signed(self.shift, batch),
            shift_y=dice.signed(self.shift, batch),
            lens=dice.signed(self.lens, batch),
        )

    def apply(self, image: Tensor, params: PerspectiveParams) -> Tensor:  # type: ignore[override]
        correction = None if self.network is None else self.network(image, params.pose()).to(image.dtype)
        with full_precision(image):
            matrix = view_matrix(params)
            if correction is not None:  # (B, 3, 3) in [-1, 1]
                weight = (params.strength * MATRIX_LIMIT)[:, None, None]
                matrix = matrix + weight * (matrix @ correction)
            return trim(warp(image, matrix, self.border))


def view_matrix(params: PerspectiveParams) -> Tensor:
    """A of §3.1 (B, 3, 3): from the photo's points to the picture's, both in halves of the longer side."""
    return adjugate(projection(params))


def projection(params: PerspectiveParams) -> Tensor:
    """From the picture's plane into the photo (B, 3, 3): rotate about the centre, project, magnify, shift."""
    yaw, pitch, roll = (angle * params.strength for angle in (params.yaw, params.pitch, params.roll))
    cy, sy, cp, sp, cr, sr = yaw.cos(), yaw.sin(), pitch.cos(), pitch.sin(), roll.cos(), roll.sin()
    zoom = (params.zoom * params.strength).exp()
    # the first two columns of Rz(roll) Rx(pitch) Ry(yaw): the plane has no third coordinate
    column_x = torch.stack([cr * cy - sr * sp * sy, sr * cy + cr * sp * sy, -cp * sy / FOCAL_LENGTH], 1)
    column_y = torch.stack([-sr * cp, cr * cp, sp / FOCAL_LENGTH], 1)
    centre = torch.stack([torch.zeros_like(zoom), torch.zeros_like(zoom), torch.ones_like(zoom)], 1)
    turned = torch.stack([column_x, column_y, centre], 2)  # (B, 3, 3)
    return place(turned, zoom, params.shift_x * params.strength, params.shift_y * params.strength)


def place(matrix: Tensor, zoom: Tensor, shift_x: Tensor, shift_y: Tensor) -> Tensor:
    """Magnify and shift in the photo's plane."""
    x, y, depth = matrix.unbind(1)  # rows (B, 3)
    rows = [zoom[:, None] * x + shift_x[:, None] * depth, zoom[:, None] * y + shift_y[:, None] * depth, depth]
    return torch.stack(rows, 1)


def adjugate(matrix: Tensor) -> Tensor:
    """The inverse up to scale, which is all a homography needs, without a solver's synchronisation."""
    x, y, z = matrix.unbind(1)
    return torch.stack([torch.linalg.cross(y, z), torch.linalg.cross(z, x), torch.linalg.cross(x, y)], 2)


def warp(image: Tensor, matrix: Tensor, border: Border = "zeros") -> Tensor:
    """Resample so that the photo's point p shows the picture's point `matrix` p, bilinearly."""
    height, width = image.shape[-2:]
    longer = max(height, width)
    u = pixel_centres(width, image) * (width / longer)
    v = pixel_centres(height, image) * (height / longer)
    x, y, depth = matrix.unbind(1)
    matrix = torch.stack([x * (longer / width), y * (longer / height), depth], 1)
    rows = matrix[:, :, :1, None] * u + (matrix[:, :, 1:2] * v + matrix[:, :, 2:])[..., None]  # (B, 3, H, W)
    nearness = rows[:, 2:].clamp_min(NEAREST_DEPTH).reciprocal()
    grid = (rows[:, :2] * nearness).permute(0, 2, 3, 1).contiguous()  # (B, H, W, 2)
    return functional.grid_sample(image, grid, mode="bilinear", padding_mode=border, align_corners=False)
