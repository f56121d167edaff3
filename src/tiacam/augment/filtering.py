"""T_filter: blur by focus, by motion and by the lens, K * x with a normalised kernel (§3.1, S5)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from .distortion import Distortion, Params, Strength, full_precision, trim
from .ranges import LearnableRange, Limits

# Width of the focus blur in pixels of a 128-pixel picture: 1.6 leaves shapes, not letters.
FOCUS = Limits(0.1, 1.6, start=(0.1, 0.9))
# Length of the motion in pixels; a longer trail would leave the kernel.
MOTION = Limits(0.0, 5.0, start=(0.0, 2.5))
# Aberrations of the lens in units of their largest plausible size.
ABERRATION = Limits(0.0, 1.0, start=(0.0, 0.6))
KERNEL = 7
# A tenth of a pixel: the kernel is a single one then, in single precision.
SHARPEST = 0.1
SHORTEST = 1e-3


@dataclass(frozen=True)
class FilteringParams(Params):
    """Focus and motion in pixels, the motion's direction in radians (B,); aberrations in [-1, 1] (B, 5)."""

    focus: Tensor
    motion: Tensor
    direction: Tensor
    aberration: Tensor  # spread ≥ 0, two of astigmatism, two of coma


class Filtering(Distortion[FilteringParams]):
    """K * x, where K is a Gaussian drawn along a line, followed by the lens' own 3×3 spread.

    The operator has one closed form for the printed kernels: motion zero makes it Gaussian, focus near zero
    makes it a line. The free kernel is the network of S5: it predicts the 3×3 spread of the lens from its
    aberrations, non-negative and of sum one by construction, so that no normalisation loss is needed. Both
    act on each channel apart.
    """

    name = "filtering"

    def __init__(self, network: nn.Module | None = None) -> None:
        super().__init__()
        self.focus = LearnableRange(FOCUS)
        self.motion = LearnableRange(MOTION)
        self.aberration = LearnableRange(ABERRATION)
        self.network = network

    def sample(
        self, shape: Sequence[int], generator: torch.Generator, strength: Strength = 1.0
    ) -> FilteringParams:
        dice, batch = self.dice(generator), shape[0]
        spread = self.aberration(dice.uniform(batch, 1))
        return FilteringParams(
            strength=self.spread_strength(shape, strength),
            focus=self.focus(dice.uniform(batch)),
            motion=self.motion(dice.uniform(batch)),
            direction=math.pi * dice.uniform(batch),
            aberration=torch.cat([spread, dice.signed(self.aberration, batch, 4)], 1),
        )

    def apply(self, image: Tensor, params: FilteringParams) -> Tensor:  # type: ignore[override]
        focus = SHARPEST + params.strength * (params.focus - SHARPEST)
        with full_precision(image):
            blurred = convolve(image, motion_kernel(focus, params.strength * params.motion, params.direction))
            if self.network is not None:
                spread = self.network(params.aberration).to(image.dtype)  # (B, 3, 3) of sum 1
                blurred = convolve(blurred, soften(spread, params.strength))
        return trim(blurred)


def motion_kernel(focus: Tensor, motion: Tensor, direction: Tensor, size: int = KERNEL) -> Tensor:
    """A Gaussian of deviation `focus` smeared along a line of length `motion`, of sum one (B, size, size)."""
    steps = torch.arange(size, dtype=focus.dtype, device=focus.device) - size // 2
    y, x = steps[:, None], steps[None, :]
    cosine, sine = direction.cos()[:, None, None], direction.sin()[:, None, None]
    along, across = cosine * x + sine * y, cosine * y - sine * x  # (B, size, size)
    scale = math.sqrt(0.5) / focus[:, None, None]
    half = (motion / 2).clamp_min(SHORTEST)[:, None, None]
    trail = torch.erf((along + half) * scale) - torch.erf((along - half) * scale)
    kernel = trail * torch.exp(-((across * scale) ** 2))
    return kernel / kernel.sum((1, 2), keepdim=True)


def soften(kernel: Tensor, strength: Tensor) -> Tensor:
    """Between no blur at strength zero and the kernel at one, of sum one throughout."""
    single = torch.zeros_like(kernel)
    single[:, kernel.shape[1] // 2, kernel.shape[2] // 2] = 1.0
    return torch.lerp(single, kernel, strength[:, None, None])


def convolve(image: Tensor, kernel: Tensor) -> Tensor:
    """Convolve every channel of each picture with its picture's kernel (B, k, k), the rim mirrored."""
    blurred: Tensor = _Convolve.apply(image, kernel)  # type: ignore[no-untyped-call]
    return blurred.view(image.shape)


class _Convolve(torch.autograd.Function):
    """Convolution whose derivatives are plain convolutions too, and a rim folded in by slices.

    torch's own derivatives of a grouped convolution and of a mirrored rim take several times as long on a
    CPU.
    """

    @staticmethod
    def forward(ctx: Any, image: Tensor, kernel: Tensor) -> Tensor:
        margin = kernel.shape[-1] // 2
        padded = functional.pad(image, (margin,) * 4, mode="reflect")
        ctx.save_for_backward(padded if ctx.needs_input_grad[1] else None, kernel)
        return slide(padded, spread_channels(kernel.flip(1, 2), image))  # (1, B·C, H, W)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, Tensor | None]:
        padded, kernel = ctx.saved_tensors
        gradient, size = gradients[0], kernel.shape[-1]
        channels = gradient.shape[1] // len(kernel)
        gradient = gradient.unflatten(1, (len(kernel), channels))[0]  # (B, C, H, W)
        to_image = to_kernel = None
        if ctx.needs_input_grad[0]:
            beyond = functional.pad(gradient, (size - 1,) * 4)
            spread = slide(beyond, spread_channels(kernel, gradient))
            to_image = fold_rows(spread.view(len(kernel), channels, *spread.shape[2:]), size // 2)
        if ctx.needs_input_grad[1]:
            to_kernel = sum_windows(padded, gradient, size).flip(1, 2)
        return to_image, to_kernel


def slide(image: Tensor, kernels: Tensor) -> Tensor:
    """Slide a kernel (B·C, h, w) over each channel of each picture, where it fits: (1, B·C, H', W')."""
    stacked = image.reshape(1, -1, *image.shape[2:])
    return functional.conv2d(stacked, kernels[:, None], groups=len(kernels))


def spread_channels(kernel: Tensor, image: Tensor) -> Tensor:
    """One kernel for each picture (B, k, k), repeated for its channels (B·C, k, k)."""
    return kernel.repeat_interleave(image.shape[1], 0)


def sum_windows(padded: Tensor, gradient: Tensor, size: int) -> Tensor:
    """Σ of the gradient times the padded picture at each of size×size offsets (B, size, size).

    On a CPU that is one convolution with the gradient as its kernel. A GPU would fetch so large a kernel anew
    for every output; there the offsets are summed one by one.
    """
    if not gradient.is_cuda:
        sums = slide(padded, gradient.flatten(0, 1))
        return sums.view(*gradient.shape[:2], size, size).sum(1)
    height, width = gradient.shape[2:]
    offsets = [(top, left) for top in range(size) for left in range(size)]
    windows = (padded[..., top : top + height, left : left + width] for top, left in offsets)
    return torch.stack([(window * gradient).sum((1, 2, 3)) for window in windows], 1).view(-1, size, size)


def fold_rows(gradient: Tensor, margin: int) -> Tensor:
    """Add a gradient's mirrored rim (B, C, H + 2·margin, W + 2·margin) to the pixels that it was copied from."""
    height = gradient.shape[2] - 2 * margin
    folded = fold_columns(gradient[:, :, margin : margin + height], margin)
    above, below = gradient[:, :, :margin], gradient[:, :, margin + height :]
    folded[:, :, 1 : margin + 1] += fold_columns(above, margin).flip(2)
    folded[:, :, height - margin - 1 : height - 1] += fold_columns(below, margin).flip(2)
    return folded


def fold_columns(gradient: Tensor, margin: int) -> Tensor:
    """The same for the columns alone (B, C, H, W + 2·margin)."""
    width = gradient.shape[3] - 2 * margin
    folded = gradient[..., margin : margin + width].clone()
    folded[..., 1 : margin + 1] += gradient[..., :margin].flip(3)
    folded[..., width - margin - 1 : width - 1] += gradient[..., margin + width :].flip(3)
    return folded
