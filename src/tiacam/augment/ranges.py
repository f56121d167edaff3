"""Learnable ranges inside fixed physical limits, and the random numbers that are drawn from them."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn

# A range never gets narrower than this share of its limits, so that the adversary cannot collapse a module
# onto a single distortion, to which the extractor would then overfit.
MINIMUM_WIDTH = 0.1


@dataclass(frozen=True)
class Limits:
    """What is physically plausible for one quantity, and the part of it that is drawn at the start."""

    low: float
    high: float
    start: tuple[float, float]

    def __post_init__(self) -> None:
        if not self.low <= self.start[0] < self.start[1] <= self.high:
            raise ValueError(f"start {self.start} is no range inside [{self.low}, {self.high}]")


class LearnableRange(nn.Module):
    """Draws a quantity uniformly between two learnable ends that cannot leave the limits.

    The ends are kept in units of the limits' width, so that one learning rate suits degrees and pixels alike.
    They are clamped where they are read: no step, however large, lets a draw leave the limits. `project_`
    brings the stored ends back too, because beyond the limits they would get no gradient.
    """

    def __init__(self, limits: Limits) -> None:
        super().__init__()
        self.limits = limits
        width = limits.high - limits.low
        self.ends = nn.Parameter(torch.tensor([(end - limits.low) / width for end in limits.start]))

    def forward(self, unit: Tensor) -> Tensor:
        """Map uniform numbers in [0, 1] to the range."""
        low, high = self.ends.clamp(0.0, 1.0).unbind()
        return self.limits.low + (self.limits.high - self.limits.low) * torch.lerp(low, high, unit)

    @torch.no_grad()
    def project_(self) -> None:
        """Put the ends inside the limits, in order and at least MINIMUM_WIDTH apart."""
        half = MINIMUM_WIDTH / 2
        low, high = self.ends.clamp(0.0, 1.0).unbind()
        middle = ((low + high) / 2).clamp(half, 1 - half)
        self.ends.copy_(torch.stack([torch.minimum(low, middle - half), torch.maximum(high, middle + half)]))

    @torch.no_grad()
    def open_(self) -> None:
        """Widen the range to its limits."""
        self.ends.copy_(self.ends.new_tensor([0.0, 1.0]))

    @torch.no_grad()
    def fix_(self, value: float) -> None:
        """Draw this value alone."""
        if not self.limits.low <= value <= self.limits.high:
            raise ValueError(f"{value} is outside [{self.limits.low}, {self.limits.high}]")
        self.ends.fill_((value - self.limits.low) / (self.limits.high - self.limits.low))


@dataclass(frozen=True)
class Dice:
    """Random numbers from one explicit generator, delivered where the module lives."""

    generator: torch.Generator
    device: torch.device
    dtype: torch.dtype

    def uniform(self, *shape: int) -> Tensor:
        """Uniform in [0, 1)."""
        return torch.rand(shape, generator=self.generator, device=self.generator.device).to(
            self.device, self.dtype
        )

    def normal(self, *shape: int) -> Tensor:
        """Standard normal."""
        return torch.randn(shape, generator=self.generator, device=self.generator.device).to(
            self.device, self.dtype
        )

    def coin(self, *shape: int) -> Tensor:
        """0 or 1, evenly."""
        coins = torch.empty(shape, device=self.generator.device).bernoulli_(0.5, generator=self.generator)
        return coins.to(self.device, self.dtype)

    def sign(self, *shape: int) -> Tensor:
        """-1 or 1, evenly."""
        return 2 * self.coin(*shape) - 1

    def signed(self, magnitude: LearnableRange, *shape: int) -> Tensor:
        """A magnitude of the range with a fair sign."""
        value: Tensor = magnitude(self.uniform(*shape))
        return value * self.sign(*shape)
