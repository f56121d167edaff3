"""Pictures of nothing but texture, made from noise: what a collection of photos hardly has, and people do register.

Each is a Gaussian field with its own spectrum (from clouds to sand, with or without a direction), coloured, and perhaps
cut into patches by a threshold. Two of one kind differ only in where things lie: hard to tell apart, and possible.
"""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional

CHUNK = 256


@torch.no_grad()
def make_textures(count: int, size: int, generator: torch.Generator) -> Tensor:
    """Random textures (N, size, size, 3) as bytes on the generator's device."""
    parts = [
        draw_textures(min(CHUNK, count - start), size, generator)
        .mul_(255)
        .round_()
        .byte()
        .permute(0, 2, 3, 1)
        for start in range(0, count, CHUNK)
    ]
    return torch.cat(parts) if parts else torch.empty((0, size, size, 3), dtype=torch.uint8)


def draw_textures(batch: int, size: int, generator: torch.Generator) -> Tensor:
    """A batch of textures (B, 3, size, size) in [0, 1]."""

    def uniform(*shape: int) -> Tensor:
        return torch.rand(shape, generator=generator, device=generator.device)

    fields = shape_noise(
        torch.randn((batch, 3, size, size), generator=generator, device=generator.device),
        slope=2.4 * uniform(batch),
        stretch=torch.exp(1.6 * (2 * uniform(batch) - 1) * (uniform(batch) < 0.4)),
        angle=torch.pi * uniform(batch),
        cut_off=0.05 + 0.45 * uniform(batch),
    )
    hard = (uniform(batch) < 0.3)[:, None, None, None]
    fields = torch.where(hard, torch.tanh(8 * fields), fields)
    mixing = torch.lerp(
        torch.full((batch, 3, 3), 1 / 3, device=fields.device),
        torch.eye(3, device=fields.device),
        uniform(batch, 1, 1) ** 2,
    )  # from grey to three colours of their own
    coloured = torch.einsum("bij,bjhw->bihw", mixing, fields)
    base = 0.2 + 0.6 * uniform(batch, 3, 1, 1)
    contrast = 0.05 + 0.3 * uniform(batch, 1, 1, 1)
    return (base + contrast * coloured).clamp_(0, 1)


def shape_noise(noise: Tensor, slope: Tensor, stretch: Tensor, angle: Tensor, cut_off: Tensor) -> Tensor:
    """White noise (B, C, S, S) given the spectrum |f|^-slope, stretched along an angle, of unit deviation."""
    size = noise.shape[-1]
    fy = torch.fft.fftfreq(size, device=noise.device)[:, None]
    fx = torch.fft.rfftfreq(size, device=noise.device)[None, :]
    cosine, sine = angle.cos()[:, None, None], angle.sin()[:, None, None]
    along = (fx * cosine + fy * sine) * stretch[:, None, None]
    across = (fy * cosine - fx * sine) / stretch[:, None, None]
    radius = torch.sqrt(along**2 + across**2) + 1 / size  # (B, S, S/2+1)
    gain = radius ** -slope[:, None, None] * torch.exp(-((radius / cut_off[:, None, None]) ** 4))
    shaped = torch.fft.irfft2(torch.fft.rfft2(noise) * gain[:, None], s=(size, size))
    flat = functional.layer_norm(shaped.flatten(2), (size * size,))
    return flat.reshape(noise.shape)
