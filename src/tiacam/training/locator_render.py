"""Drawing the locator's training photos on the GPU, back to front, and which picture each point shows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional

from tiacam.augment.perspective import adjugate
from tiacam.training.locator_poses import SLOTS
from tiacam.training.locator_scenes import BACKGROUNDS, Backgrounds, Hands, Layers, Scenes

LEAST_DEPTH = 0.05
OVERSAMPLING = 2  # photos are drawn larger and averaged, so that edges fall between pixels
NOTHING = -1


@dataclass(frozen=True)
class Rendered:
    """Photos (B, 3, S, S) in [0, 1], and for every point of the larger drawing the slot of the picture there."""

    photos: Tensor
    shown: Tensor  # (B, S', S') NOTHING where no picture is


@dataclass(frozen=True)
class Surface:
    """A layer's own coordinates at every point of the photo (B, S, S), 1 at its edges."""

    u: Tensor
    v: Tensor
    seen: Tensor  # bool: before the camera

    def within(self, margins: Tensor) -> Tensor:
        """Inside the layer widened by (B, 4): left, top, right, bottom."""
        left, top, right, bottom = ((1 + margins)[:, :, None, None]).unbind(1)
        across = (self.u > -left) & (self.u < right)
        return across & (self.v > -top) & (self.v < bottom) & self.seen


@dataclass(frozen=True)
class Painting:
    """What is drawn so far."""

    canvas: Tensor  # (B, 3, S', S')
    shown: Tensor  # (B, S', S') slots


Paint = Callable[[Painting, Tensor, Layers, Tensor, Tensor], Painting]


@torch.no_grad()
def render(pictures: Tensor, scenes: Scenes, size: int, paint: Paint | None = None) -> Rendered:
    """Photos of `size` from pictures (N, 3, H, W); `paint` may be a compiled `draw_layer`."""
    paint = paint or draw_layer
    points = frame_points(size * OVERSAMPLING, pictures.device)  # (3, S', S')
    canvas = draw_background(pictures, scenes.backgrounds, points)
    shown = torch.full((len(canvas), *points.shape[1:]), NOTHING, dtype=torch.int8, device=canvas.device)
    painting = Painting(canvas, shown)
    for slot in range(SLOTS):
        painting = paint(painting, pictures, scenes.layers.at(slot), scenes.poses.to_frame[:, slot], points)
    photos = functional.avg_pool2d(painting.canvas, OVERSAMPLING)
    return Rendered(draw_hand(photos, scenes.hands, frame_points(size, pictures.device)), painting.shown)


def frame_points(size: int, device: torch.device) -> Tensor:
    """Homogeneous points of the photo at pixel centres (3, S, S)."""
    axis = (torch.arange(size, device=device) * 2 + 1) / size - 1
    y, x = torch.meshgrid(axis, axis, indexing="ij")
    return torch.stack([x, y, torch.ones_like(x)])


def lay_surface(to_frame: Tensor, points: Tensor) -> Surface:
    inverse = adjugate(to_frame)
    scale = (inverse * to_frame.transpose(1, 2)).sum((1, 2)) / 3  # the determinant
    seen = torch.einsum("bij,jhw->bihw", inverse / scale[:, None, None], points)
    depth = seen[:, 2].clamp_min(LEAST_DEPTH)
    return Surface(seen[:, 0] / depth, seen[:, 1] / depth, seen[:, 2] > LEAST_DEPTH)


def sample(pictures: Tensor, grid: Tensor) -> Tensor:
    return functional.grid_sample(
        pictures, grid, mode="bilinear", padding_mode="reflection", align_corners=False
    )


def draw_background(pictures: Tensor, draw: Backgrounds, points: Tensor) -> Tensor:
    parts = []
    for part in range(BACKGROUNDS):
        grid = torch.einsum("bij,jhw->bhwi", draw.affine[:, part], points)
        photo = sample(pictures[draw.source[:, part]], grid)
        colour = draw.colour[:, part, :, None, None].expand_as(photo)
        parts.append(torch.lerp(photo, colour, draw.plain[:, part, None, None, None]))
    beyond = torch.einsum("bj,jhw->bhw", draw.line, points) > 0
    return torch.where(beyond[:, None], parts[1], parts[0])


def draw_layer(
    painting: Painting, pictures: Tensor, layer: Layers, to_frame: Tensor, points: Tensor
) -> Painting:
    """One slot over what is there already."""
    surface = lay_surface(to_frame, points)
    there = layer.shown[:, None, None]
    inner = layer.margins[:, 0]
    outer = inner + layer.margins[:, 1]
    canvas = painting.canvas * shade(layer.shadow * there[:, :, 0], surface, outer)[:, None]
    in_outer, in_inner = surface.within(outer) & there, surface.within(inner) & there
    in_picture = surface.within(torch.zeros_like(inner)) & there & round_corners(surface, layer.rounding)
    frame = write(layer.margin_colours[:, 1, :, None, None], layer.page, layer, surface)
    canvas = torch.where(in_outer[:, None], frame, canvas)
    canvas = torch.where(in_inner[:, None], layer.margin_colours[:, 0, :, None, None], canvas)
    canvas = torch.where(in_picture[:, None], draw_content(pictures, layer, surface), canvas)
    # a margin hides what is under it; outside of rounded corners there is the margin or whatever was there
    shown = painting.shown.masked_fill(in_outer, NOTHING)
    slot = torch.where(in_picture & layer.picture[:, None, None], layer.slot[:, None, None], shown)
    return Painting(canvas, slot)


def draw_content(pictures: Tensor, layer: Layers, surface: Surface) -> Tensor:
    """The picture itself, perhaps with panels and writing; a plain or written sheet where there is none."""
    extent_x, extent_y, centre_x, centre_y = layer.crop[:, :, None, None].unbind(1)
    grid = torch.stack([extent_x * surface.u + centre_x, extent_y * surface.v + centre_y], -1)
    photo = sample(pictures[layer.source], grid.clamp(-2, 2))
    left, top, right, bottom = layer.panels[:, :, None, None].unbind(1)
    panel = (surface.u < -left) | (surface.u > right) | (surface.v < -top) | (surface.v > bottom)
    panel = (panel | ~layer.picture[:, None, None]) * layer.panel_cover[:, None, None]
    photo = torch.lerp(photo, layer.panel_colour[:, :, None, None].expand_as(photo), panel[:, None])
    return torch.where((panel > 0)[:, None], write(photo, torch.ones_like(layer.page), layer, surface), photo)


def write(colour: Tensor, where: Tensor, layer: Layers, surface: Surface) -> Tensor:
    """Lines of something like words on a surface (B, 3, S, S), or of one colour (B, 3, 1, 1), in some photos (B,)."""
    lines, words, share = layer.writing[:, :, None, None].unbind(1)
    row, column = surface.v * lines / 2, surface.u * words / 2
    chance = torch.frac((row.floor() * 12.9898 + column.floor() * 78.233).sin().abs() * 43758.5453)
    inked = (row - row.floor() < 0.45) & (column - column.floor() < 0.85) & (chance < share)
    inked = inked & (lines > 0) & where[:, None, None]
    return torch.where(inked[:, None], layer.ink[:, :, None, None], colour)


def shade(shadow: Tensor, surface: Surface, outer: Tensor) -> Tensor:
    """What a shadow leaves of the light around a layer (B, S, S); inside, the layer covers it."""
    depth, reach, x, y = shadow[:, :, None, None].unbind(1)
    left, top, right, bottom = ((1 + outer)[:, :, None, None]).unbind(1)
    u, v = surface.u - x, surface.v - y
    away = torch.maximum(torch.maximum(-left - u, u - right), torch.maximum(-top - v, v - bottom))
    return 1 - depth * torch.exp(-away.clamp(0, 20) / reach.clamp_min(1e-3)) * surface.seen


def round_corners(surface: Surface, radius: Tensor) -> Tensor:
    """False in the corners beyond a quarter circle of this radius (B,)."""
    radius = radius[:, None, None]
    x = (surface.u.abs() - 1 + radius).clamp_min(0)
    y = (surface.v.abs() - 1 + radius).clamp_min(0)
    return x * x + y * y <= radius.clamp_min(1e-6) ** 2


def draw_hand(photos: Tensor, hands: Hands, points: Tensor) -> Tensor:
    """Fingers over everything, lighter along their middle."""
    softness = 1.5 * 2 / photos.shape[-1]
    for finger in range(hands.ends.shape[1]):
        x0, y0, x1, y1 = hands.ends[:, finger, :, None, None].unbind(1)
        radius = hands.radius[:, finger, None, None]
        along_x, along_y = x1 - x0, y1 - y0
        t = ((points[0] - x0) * along_x + (points[1] - y0) * along_y) / (along_x**2 + along_y**2)
        t = t.clamp(0, 1)
        away = torch.hypot(points[0] - x0 - t * along_x, points[1] - y0 - t * along_y)
        cover = ((radius - away) / softness).clamp(0, 1) * (radius > 0)
        light = 1.1 - 0.45 * (away / radius.clamp_min(1e-3)).clamp(0, 1) ** 2
        skin = hands.colour[:, :, None, None] * light[:, None]
        photos = torch.lerp(photos, skin.clamp(0, 1), cover[:, None])
    return photos
