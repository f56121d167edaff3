"""The point-spread function of Filtering: a 3-layer MLP → k×k, softplus, of sum one (S5)."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

HIDDEN = 256
SIZE = 3
# The logit of the central weight at the start: softplus leaves about 95% of the light there.
CENTRE = 6.0
RIM = -3.2


class SpreadFunction(nn.Module):
    """From `described` numbers to a non-negative 3×3 kernel of sum one (B, 3, 3)."""

    def __init__(self, described: int) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            nn.Linear(described, HIDDEN),
            nn.ReLU(),
            nn.Linear(HIDDEN, HIDDEN),
            nn.ReLU(),
            nn.Linear(HIDDEN, SIZE**2),
        )
        start = torch.full((SIZE**2,), RIM)
        start[SIZE**2 // 2] = CENTRE
        last = self.layers[-1]
        assert isinstance(last, nn.Linear)
        last.bias.data.copy_(start)

    def forward(self, code: Tensor) -> Tensor:
        weights: Tensor = functional.softplus(self.layers(code).float())  # (B, 9)
        return (weights / weights.sum(1, keepdim=True)).view(-1, SIZE, SIZE)
