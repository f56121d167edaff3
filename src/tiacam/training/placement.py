"""A picture placed in a scene and seen by a camera: the geometry of simulated captures, on the GPU in batches."""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional

from tiacam.augment.perspective import PerspectiveParams, adjugate, projection

LEAST_DEPTH = 0.05
EDGE_SHARPNESS = 60.0  # how fast the picture's edge turns from picture to frame, in units of its half side


@dataclass(frozen=True)
class PlacementSettings:
    """How captures are spread; shares are probabilities."""

    area: tuple[float, float] = (0.25, 1.3)  # share of the photo that the picture covers
    full_share: float = (
        0.6  # photos that the picture fills, upright: rectified ones, screenshots, careful people
    )
    any_angle_share: float = 0.05
    quarter_turn_share: float = 0.1  # reading tries the quarter turns
    roll: float = math.radians(15)
    tilt: float = math.radians(38)
    aspect: float = 0.45  # largest |log| of width over height, because pictures are squashed to squares
    frame_share: float = 0.5
    frame: tuple[float, float] = (0.02, 0.3)
    plain_share: float = 0.3  # backgrounds of one colour
    margin_share: float = 0.3  # pictures with a margin of one colour, as shops show things
    margin: float = 0.3  # largest share of a side that is margin
    cut_out_share: float = 0.7  # of those: the photo shows the thing without the margin


@dataclass(frozen=True)
class Placement:
    """One draw for a batch."""

    matrix: Tensor  # (B, 3, 3) from the photo's points to the picture's, both in [-1, 1]
    frame: Tensor  # (B,) width of the frame around the picture in its half sides, 0 for none
    frame_colour: Tensor  # (B, 3)
    background: Tensor  # (B,) which picture of the batch lies behind
    behind: Tensor  # (B, 3) zoom and shift of the background
    plain: Tensor  # (B,) 1 where the background is one colour
    plain_colour: Tensor  # (B, 3)


@dataclass(frozen=True)
class Box:
    """Where in the picture its content lies, in [-1, 1]; the rest is a margin of one colour."""

    centre: Tensor  # (B, 2)
    half: Tensor  # (B, 2)
    colour: Tensor  # (B, 3)
    cut_out: Tensor  # (B,) whether photos show the content alone

    def where_cut_out(self) -> Box:
        """The same for the cut-out ones, the whole picture for the others."""
        cut = self.cut_out[:, None]
        return Box(self.centre * cut, torch.where(cut, self.half, 1.0), self.colour, self.cut_out)


def draw_box(batch: int, generator: torch.Generator, settings: PlacementSettings) -> Box:
    unit = torch.rand((batch, 9), generator=generator, device=generator.device)
    some = (unit[:, :1] < settings.margin_share).float()
    total = some * settings.margin * 2 * unit[:, 1:3]  # of both sides together, the picture being 2 wide
    off = 0.3 * total * (unit[:, 3:5] - 0.5)  # mostly in the middle
    white = (unit[:, 5:6] < 0.6).float()
    colour = torch.lerp(unit[:, 6:9], torch.ones_like(unit[:, 6:9]), white)
    cut_out = (unit[:, 5] * 7 % 1 < settings.cut_out_share) & (some[:, 0] > 0)
    return Box(off, 1 - total / 2, colour, cut_out)


def put_in_box(content: Tensor, box: Box) -> Tensor:
    """The content (B, 3, S, S) shrunk into its box, the margin around it."""
    size = content.shape[-1]
    axis = (torch.arange(size, device=content.device) * 2 + 1) / size - 1
    x = (axis[None] - box.centre[:, :1]) / box.half[:, :1]  # (B, S)
    y = (axis[None] - box.centre[:, 1:]) / box.half[:, 1:]
    grid = torch.stack([x[:, None, :].expand(-1, size, -1), y[:, :, None].expand(-1, -1, size)], dim=-1)
    inside = (grid.abs().amax(dim=-1) <= 1)[:, None]
    return torch.where(inside, sample(content, grid), box.colour[:, :, None, None].expand_as(content))


def draw_placement(batch: int, generator: torch.Generator, settings: PlacementSettings) -> Placement:
    """Draw poses, frames and backgrounds on the generator's device."""
    device = generator.device

    def uniform(*shape: int) -> Tensor:
        return torch.rand(shape, generator=generator, device=device)

    def signed(*shape: int) -> Tensor:
        return 2 * uniform(*shape) - 1

    full = uniform(batch) < settings.full_share
    low, high = (math.log(value) for value in settings.area)
    log_area = torch.where(full, 0.35 * signed(batch), low + (high - low) * uniform(batch))
    side = (log_area / 2).exp()
    room = (1 - side).clamp_min(0.0) + 0.08
    turns = (
        (uniform(batch) < settings.quarter_turn_share)
        * (math.pi / 2)
        * torch.randint(1, 4, (batch,), generator=generator, device=device)
    )
    any_angle = (uniform(batch) < settings.any_angle_share) * math.pi * signed(batch)
    roll = torch.where(full, 0.03 * signed(batch), settings.roll * signed(batch) + turns + any_angle)
    tilt = settings.tilt * torch.where(full, 0.15, 1.0)
    pose = PerspectiveParams(
        strength=torch.ones(batch, device=device),
        yaw=tilt * signed(batch),
        pitch=tilt * signed(batch),
        roll=roll,
        zoom=log_area / 2,
        shift_x=room * signed(batch),
        shift_y=room * signed(batch),
        lens=torch.zeros(batch, device=device),
    )
    aspect = (settings.aspect * torch.where(full, 0.1, 1.0) * signed(batch) / 2).exp()
    stretch = torch.stack([aspect, 1 / aspect, torch.ones_like(aspect)], 1)
    framed = (uniform(batch) < settings.frame_share) * ~full
    grey = uniform(batch, 1)
    return Placement(
        matrix=adjugate(projection(pose) * stretch[:, None, :]),
        frame=framed * (settings.frame[0] + (settings.frame[1] - settings.frame[0]) * uniform(batch) ** 2),
        frame_colour=(grey**2 + 0.1 * signed(batch, 3)).clamp(0, 1),
        background=torch.randperm(batch, generator=generator, device=device),
        behind=torch.cat([0.3 + 0.7 * uniform(batch, 1), 0.3 * signed(batch, 2)], 1),
        plain=(uniform(batch) < settings.plain_share).float(),
        plain_colour=uniform(batch, 3),
    )


def place(pictures: Tensor, draw: Placement, size: int, box: Box | None = None) -> Tensor:
    """Photos (B, 3, size, size) of the pictures (B, 3, H, W) in their scenes; of each only its box, if given."""
    axis = (torch.arange(size, device=pictures.device) * 2 + 1) / size - 1
    y, x = torch.meshgrid(axis, axis, indexing="ij")
    points = torch.stack([x, y, torch.ones_like(x)]).reshape(3, -1)  # (3, S²)
    seen = (draw.matrix @ points).reshape(-1, 3, size, size)
    depth = seen[:, 2]
    uv = seen[:, :2] / depth.clamp_min(LEAST_DEPTH)[:, None]  # (B, 2, S, S)
    if box is not None:
        uv = (uv - box.centre[:, :, None, None]) / box.half[:, :, None, None]
    image = sample(pictures, uv.movedim(1, -1))
    reach = uv.abs().amax(dim=1).masked_fill(depth < LEAST_DEPTH, 1e3)  # 1 at the picture's edge
    scene = behind(pictures, draw, x, y)
    frame = draw.frame[:, None, None]
    in_frame = (((1 + frame - reach) * EDGE_SHARPNESS).clamp(0, 1) * (frame > 0))[:, None]
    scene = torch.lerp(scene, draw.frame_colour[:, :, None, None].expand_as(scene), in_frame)
    inside = ((1 - reach) * EDGE_SHARPNESS + 0.5).clamp(0, 1)[:, None]
    return torch.lerp(scene, image, inside)


def behind(pictures: Tensor, draw: Placement, x: Tensor, y: Tensor) -> Tensor:
    """The background: part of another picture, or one colour."""
    zoom, shift_x, shift_y = draw.behind[:, :, None, None].unbind(1)
    grid = torch.stack([zoom * x + shift_x, zoom * y + shift_y], dim=-1)  # (B, S, S, 2)
    other = sample(pictures[draw.background], grid)
    return torch.lerp(
        other, draw.plain_colour[:, :, None, None].expand_as(other), draw.plain[:, None, None, None]
    )


def sample(pictures: Tensor, grid: Tensor) -> Tensor:
    return functional.grid_sample(
        pictures, grid, mode="bilinear", padding_mode="reflection", align_corners=False
    )
