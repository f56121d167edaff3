"""Pictures that reach out of the photo: a reader that knows where they are makes up the rest of what it saw of them."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from tiacam.training.placement import sample

LEAST_SIDE = 0.4  # of the picture's width and height that is seen
MIRRORED = (
    0.7  # of the unseen parts are mirror images; the others have one colour, as a bar in front of it has
)


@dataclass(frozen=True)
class Window:
    """The part of each picture that is seen, in [-1, 1], and what stands in the place of the rest."""

    low: Tensor  # (B, 2) x and y
    high: Tensor  # (B, 2)
    mirrored: Tensor  # (B,) bool
    colour: Tensor  # (B, 3)


def draw_window(batch: int, share: float, generator: torch.Generator) -> Window:
    """For `share` of the pictures one side of either axis, or of both, is cut off."""
    unit = torch.rand((batch, 9), generator=generator, device=generator.device)
    cut = (unit[:, :1] < share) * (unit[:, 1:3] < 0.75) * 2 * (1 - LEAST_SIDE) * unit[:, 3:5]  # (B, 2)
    at_start = unit[:, 5:6] * torch.tensor([[2.0, 4.0]], device=unit.device) % 2 < 1
    low = torch.where(at_start, cut, 0.0) - 1
    high = 1 - torch.where(at_start, 0.0, cut)
    dark = (unit[:, :1] * 1e3 % 1 < 0.5).float()  # black more often than any other colour
    return Window(low, high, unit[:, 1] * 1e3 % 1 < MIRRORED, unit[:, 6:9] * (1 - dark))


def look_through(photo: Tensor, window: Window) -> Tensor:
    """The pictures (B, 3, S, S) with all that lies outside of their windows made up."""
    size = photo.shape[-1]
    axis = (torch.arange(size, device=photo.device) * 2 + 1) / size - 1
    x, y = (reflect(axis[None], window.low[:, one, None], window.high[:, one, None]) for one in (0, 1))
    grid = torch.stack([x[:, None, :].expand(-1, size, -1), y[:, :, None].expand(-1, -1, size)], dim=-1)
    inside_x, inside_y = ((one - axis[None]).abs() < 1e-6 for one in (x, y))
    inside = inside_x[:, None, None, :] & inside_y[:, None, :, None]
    plain = window.colour[:, :, None, None].expand_as(photo)
    made_up = torch.where(window.mirrored[:, None, None, None], sample(photo, grid), plain)
    return torch.where(inside, photo, made_up)


def reflect(point: Tensor, low: Tensor, high: Tensor) -> Tensor:
    """Points brought between low and high as by mirrors that stand there."""
    width = high - low
    away = ((point - low) % (2 * width)) / width  # 0 to 2: there and back again
    return torch.where((point >= low) & (point <= high), point, low + width * torch.minimum(away, 2 - away))
