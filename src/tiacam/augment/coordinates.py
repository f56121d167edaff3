"""Where pixels are, for the modules whose effect depends on place."""

from __future__ import annotations

import torch
from torch import Tensor


def pixel_centres(count: int, like: Tensor) -> Tensor:
    """Coordinates of the pixel centres of a side that spans [-1, 1]."""
    steps = torch.arange(count, dtype=like.dtype, device=like.device)
    return (2 * steps + 1) / count - 1


def pixel_indices(count: int, like: Tensor) -> Tensor:
    """0, 1, 2, ... along a side."""
    return torch.arange(count, dtype=like.dtype, device=like.device)
