"""Whitening while training: losses see features as the shipped model gives them, along equally strong axes.

A shipped model whitens its features, which turns the weak axes up, with the noise that captures put on them. Losses of
plain features do not see that noise; those of whitened features do.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

REFRESH = 50  # steps between two measurements of the axes
MEMORY = 0.99  # of the statistics, a step
FLOOR = 1e-4  # of the largest variance: an axis with less is not turned up further


class RunningWhitening(nn.Module):
    """Mean and covariance of the pictures' features of the last steps, and the `kept` strongest axes of them."""

    def __init__(self, width: int, kept: int) -> None:
        super().__init__()
        self.kept = kept
        self.steps: Tensor
        self.mean: Tensor
        self.covariance: Tensor
        self.axes: Tensor
        self.register_buffer("steps", torch.zeros((), dtype=torch.long))
        self.register_buffer("mean", torch.zeros(width))
        self.register_buffer("covariance", torch.zeros(width, width))
        self.register_buffer("axes", torch.zeros(width, kept))

    @torch.no_grad()
    def observe(self, features: Tensor) -> None:
        """Take in the unit features (B, D) of a batch of pictures."""
        self.steps += 1
        weight = (1 / self.steps).clamp_min(1 - MEMORY)
        self.mean.lerp_(features.mean(dim=0), weight)
        centred = features - self.mean
        self.covariance.lerp_(centred.T @ centred / len(features), weight)

    @torch.no_grad()
    def measure(self) -> None:
        """The axes anew. They are constants for the losses: no gradient comes through them."""
        values, vectors = torch.linalg.eigh(self.covariance.double())
        values, vectors = values[-self.kept :], vectors[:, -self.kept :]
        self.axes.copy_(vectors * values.clamp_min(FLOOR * float(values[-1])).rsqrt())

    def forward(self, features: Tensor) -> Tensor:
        """Unit features (B, D) → whitened unit features (B, kept)."""
        return functional.normalize((features - self.mean) @ self.axes)
