"""Changing pixels by gradient until features carry the key's bits or lie in its cone."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

GRID = 200_001

Objective = Callable[[Tensor], Tensor]  # features (B, D) → loss
Change = Callable[[Tensor, torch.Generator], Tensor]


@dataclass(frozen=True)
class MarkSettings:
    """One run of the optimisation; `psnr` in dB is what the mark may cost at most."""

    iterations: int = 100
    rate: float = 0.01
    psnr: float = 40.0
    seed: int = 0


def keyed_directions(seed: int, count: int, width: int) -> Tensor:
    """Orthonormal directions (D, K) that the key's seed draws."""
    drawn = torch.randn(width, count, generator=torch.Generator().manual_seed(seed))
    directions: Tensor = torch.linalg.qr(drawn).Q
    return directions


def hinge_loss(features: Tensor, directions: Tensor, wanted: Tensor, margin: float) -> Tensor:
    """Σ max(0, μ - b_i <φ, a_i>), with φ of unit length: WSSL's loss of a message of signs b (B, K)."""
    projections = functional.normalize(features) @ directions
    return functional.relu(margin - wanted * projections).sum(1).mean()


def cone_loss(features: Tensor, direction: Tensor, cosine: float) -> Tensor:
    """|φ|² - <φ, a>² / cos² θ, over |φ|²: negative inside the key's double cone of angle θ (ZBW, WSSL)."""
    square = (functional.normalize(features) @ direction).square()  # (B, 1)
    return (1 - square / cosine**2).mean()


def cone_cosine(width: int, rate: float) -> float:
    """cos θ of the double cone that a random direction in `width` dimensions meets at this rate."""
    cosines = np.linspace(0, 1, GRID)
    density = (1 - cosines**2) ** ((width - 3) / 2)
    beyond = np.cumsum(density[::-1])[::-1] / density.sum()
    return float(cosines[np.searchsorted(-beyond, -rate)])


def mark(
    space: torch.nn.Module, cover: Tensor, objective: Objective, change: Change, settings: MarkSettings
) -> Tensor:
    """Pictures (B, 3, S, S) near the covers whose features, after random changes, satisfy the objective."""
    generator = torch.Generator(cover.device).manual_seed(settings.seed)
    residual = torch.zeros_like(cover, requires_grad=True)
    optimizer = torch.optim.Adam([residual], lr=settings.rate)
    calm = texture_weight(cover)
    for _ in range(settings.iterations):
        marked = add(cover, residual * calm, settings.psnr)
        loss = objective(space(change(marked, generator))) * len(cover)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
    return add(cover, residual.detach() * calm, settings.psnr)


def add(cover: Tensor, residual: Tensor, psnr: float) -> Tensor:
    """The cover plus the residual, shrunk so that no picture falls below the PSNR."""
    most = 10 ** (-psnr / 20)
    deviation = (
        residual.square().mean((1, 2, 3), keepdim=True) + 1e-12
    ).sqrt()  # with a gradient at zero too
    return (cover + residual * (most / deviation.clamp_min(most))).clamp(0, 1)


def texture_weight(cover: Tensor) -> Tensor:
    """1 on average, more where the picture is busy (B, 1, S, S): what SSIM's map does for WSSL."""
    grey = cover.mean(1, keepdim=True)
    mean = functional.avg_pool2d(grey, 9, 1, padding=4)
    spread = (functional.avg_pool2d(grey**2, 9, 1, padding=4) - mean**2).clamp_min(0).sqrt() + 0.02
    return spread / spread.mean((2, 3), keepdim=True)


def keep(marked: Tensor, _generator: torch.Generator) -> Tensor:
    """No change: ZBW marks the picture as it is."""
    return marked


def vary(marked: Tensor, generator: torch.Generator) -> Tensor:
    """Half of the time nothing, else turned by up to 30°, cut to a fifth of the area or more, perhaps blurred."""
    unit = torch.rand((len(marked), 6), generator=generator, device=marked.device)
    plain = (unit[:, 0] < 0.5).float()
    angle = (1 - plain) * math.radians(30) * (2 * unit[:, 1] - 1)
    side = plain + (1 - plain) * (0.2 + 0.8 * unit[:, 2]).sqrt()
    shift = (1 - side)[:, None] * (2 * unit[:, 3:5] - 1)
    rows = [
        torch.stack([side * angle.cos(), -side * angle.sin(), shift[:, 0]], 1),
        torch.stack([side * angle.sin(), side * angle.cos(), shift[:, 1]], 1),
    ]
    grid = functional.affine_grid(torch.stack(rows, 1), list(marked.shape), align_corners=False)
    seen = functional.grid_sample(marked, grid, padding_mode="zeros", align_corners=False)
    soft = functional.avg_pool2d(functional.pad(seen, (2, 2, 2, 2), mode="reflect"), 5, 1)
    blurred = ((unit[:, 5] < 0.3).float() * (1 - plain))[:, None, None, None]
    return torch.lerp(seen, soft, blurred)
