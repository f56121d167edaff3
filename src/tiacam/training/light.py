"""What light does to a photo of a shiny thing: reflections with hard edges, haze, a veil, faded colours, few pixels."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional

LUMA = (0.299, 0.587, 0.114)


def uniform(like: Tensor, generator: torch.Generator, *shape: int) -> Tensor:
    return torch.rand((len(like), *shape), generator=generator, device=like.device)


def shine(photo: Tensor, share: float, generator: torch.Generator) -> Tensor:
    """A lamp mirrored in the surface: a soft spot, broken up where the surface is not flat."""
    size = photo.shape[-1]
    unit = uniform(photo, generator, 8)
    axis = (torch.arange(size, device=photo.device) * 2 + 1) / size - 1
    dx = (axis[None] - (2 * unit[:, :1] - 1)) / (0.08 + 0.7 * unit[:, 1:2] ** 2)
    dy = (axis[None] - (2 * unit[:, 2:3] - 1)) / (0.08 + 0.7 * unit[:, 3:4] ** 2)
    spot = torch.exp(-(dx[:, None, :] ** 2 + dy[:, :, None] ** 2))  # (B, S, S)
    broken = torch.sigmoid(12 * (spot + 0.6 * ripples(photo, generator) - 0.35))
    spot = torch.where((unit[:, 6] < 0.5)[:, None, None], spot, broken * (spot > 0.02))
    amount = (0.3 + 0.7 * unit[:, 4]) * (unit[:, 5] < share)
    return torch.lerp(photo, torch.ones_like(photo), (amount[:, None, None] * spot)[:, None])


def ripples(photo: Tensor, generator: torch.Generator) -> Tensor:
    """A smooth random field (B, S, S), stretched in one direction as crumpled foil stretches a lamp."""
    size = photo.shape[-1]
    coarse = [
        functional.interpolate(
            torch.randn((len(photo), 1, rows, columns), generator=generator, device=photo.device),
            (size, size),
            mode="bilinear",
        )
        for rows, columns in ((4, 24), (20, 5), (9, 9))
    ]
    weight = functional.one_hot((3 * uniform(photo, generator)).long().clamp(max=2), 3).to(photo.dtype)
    return torch.einsum("bk,bkhw->bhw", weight, torch.cat(coarse, dim=1))


def fade(photo: Tensor, share: float, generator: torch.Generator) -> Tensor:
    """Light scattered over the whole surface: less contrast around a grey of some tint, less colour."""
    unit = uniform(photo, generator, 6)
    luma = torch.einsum("c,bchw->bhw", torch.tensor(LUMA, device=photo.device, dtype=photo.dtype), photo)
    some = unit[:, 0] < share
    grey = torch.where(some, 0.8 * unit[:, 1], 0.0)
    dull = torch.lerp(photo, luma[:, None].expand_as(photo), grey[:, None, None, None])
    veil = (0.25 + 0.6 * unit[:, 2:3] + 0.2 * (unit[:, 3:6] - 0.5)).clamp(0, 1)[:, :, None, None]
    amount = torch.where(some, 0.6 * uniform(photo, generator) ** 1.5, 0.0)
    return torch.lerp(dull, veil.expand_as(dull), amount[:, None, None, None])


def haze(photo: Tensor, share: float, generator: torch.Generator) -> Tensor:
    """A room mirrored in a dull surface, and a lamp's tint: light of one colour laid over the photo, here more and
    there less, often so much that little contrast is left."""
    unit = uniform(photo, generator, 9)
    some = unit[:, 0] < share
    tint = 1 + 0.45 * (unit[:, 1:4] - 0.5)
    lit = photo * torch.where(some[:, None], tint, 1.0)[:, :, None, None]
    amount = torch.where(some, 0.95 * unit[:, 4] ** 0.8, 0.0)[:, None, None] * clouds(photo, generator)
    light = (0.15 + 0.85 * unit[:, 5:6] + 0.3 * (unit[:, 6:9] - 0.5)).clamp(0, 1)[:, :, None, None]
    return torch.lerp(lit, light.expand_as(lit), amount[:, None]).clamp(0, 1)


def clouds(photo: Tensor, generator: torch.Generator) -> Tensor:
    """A field (B, S, S) between 0 and 1 that varies slowly: a slope, or a few bright and dark places."""
    size = photo.shape[-1]
    slope, places = (
        functional.interpolate(uniform(photo, generator, 1, cells, cells), (size, size), mode="bicubic")[:, 0]
        for cells in (2, 5)
    )
    sloping = (uniform(photo, generator) < 0.5)[:, None, None]
    return torch.where(sloping, slope, places).clamp(0, 1)


def coarsen(photo: Tensor, share: float, generator: torch.Generator) -> Tensor:
    """A camera of few pixels, or a small thing in a large photo: down to a third of the pixels and up again."""
    size = photo.shape[-1]
    unit = torch.rand(2, generator=generator, device=generator.device)
    small = max(16, int(size * (0.3 + 0.4 * float(unit[0]))))
    less = functional.interpolate(photo, (small, small), mode="bilinear", antialias=True)
    blurred = functional.interpolate(less, (size, size), mode="bilinear")
    some = uniform(photo, generator, 1, 1, 1) < share
    return torch.where(some, blurred, photo)
