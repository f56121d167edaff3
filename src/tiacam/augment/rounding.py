"""Rounding with a gradient, for the quantiser of the JPEG surrogate (§3.1)."""

from __future__ import annotations

import math
from enum import Enum
from typing import Any

import torch
from torch import Tensor

# Sharpness α of the smooth forms: from here on the corrected form is closer to a real codec than a cubic
# rounding.
SHARPNESS = 40.0
# Sharpness of the gradient of true rounding: its slope stays between 0.4 and 1.5, so no coefficient is
# ignored.
GRADIENT_SHARPNESS = 5.0


class Rounding(Enum):
    """Which Q(z) quantises."""

    PRINTED = "printed"
    SMOOTH = "smooth"
    STRAIGHT = "straight"


def round_as_printed(z: Tensor, sharpness: float = SHARPNESS) -> Tensor:
    """Q(z) = ⌊z⌋ + σ(α(z - ⌊z⌋)) - 0.5, as §3.1 prints it.

    It is no rounding: it keeps integers, sends every fraction towards ⌊z⌋ + ½ and jumps by ½ below the next
    integer, so that the many coefficients just off zero all become ±½. Kept for comparison.
    """
    floor = z.detach().floor()
    return floor + torch.sigmoid(sharpness * (z - floor)) - 0.5


def round_smoothly(z: Tensor, sharpness: float = SHARPNESS) -> Tensor:
    """The corrected form ⌊z⌋ + ½ + ½·tanh(α(f - ½)/2) / tanh(α/4) with f = z - ⌊z⌋.

    The sigmoid is centred on ½ and rescaled to [0, 1], so that integers stay, halves stay halves, Q(-z) =
    -Q(z), and both value and slope are continuous. Its mean slope is 1, whatever α is.
    """
    middle = z.detach().floor() + 0.5
    return middle + (0.5 / math.tanh(sharpness / 4)) * torch.tanh((sharpness / 2) * (z - middle))


class _Straight(torch.autograd.Function):
    """Rounds forward; backward it has the slope of `round_smoothly`."""

    @staticmethod
    def forward(ctx: Any, z: Tensor) -> Tensor:
        rounded = z.round()
        ctx.save_for_backward(z - rounded)
        return rounded

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> Tensor:
        (offset,) = (
            ctx.saved_tensors
        )  # in [-½, ½]; the smooth form repeats every integer and is steepest at ½
        curve = torch.tanh((GRADIENT_SHARPNESS / 2) * (0.5 - offset.abs()))
        steepest = (GRADIENT_SHARPNESS / 4) / math.tanh(GRADIENT_SHARPNESS / 4)
        return gradients[0] * torch.addcmul(torch.full_like(curve, steepest), curve, curve, value=-steepest)


def round_straight(z: Tensor) -> Tensor:
    """True rounding forward, the corrected form's gradient backward."""
    rounded: Tensor = _Straight.apply(z)  # type: ignore[no-untyped-call]
    return rounded


class _Floor(torch.autograd.Function):
    """Rounds down forward; backward it is the identity."""

    @staticmethod
    def forward(_ctx: Any, z: Tensor) -> Tensor:
        return z.floor()

    @staticmethod
    def backward(_ctx: Any, *gradients: Tensor) -> Tensor:
        return gradients[0]


def floor_straight(z: Tensor) -> Tensor:
    """⌊z⌋ forward, the identity's gradient backward."""
    floor: Tensor = _Floor.apply(z)  # type: ignore[no-untyped-call]
    return floor


ROUNDINGS = {
    Rounding.PRINTED: round_as_printed,
    Rounding.SMOOTH: round_smoothly,
    Rounding.STRAIGHT: round_straight,
}
