"""How alike two pictures are: PSNR and SSIM, for each picture of a batch."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional

WINDOW = 11
DEVIATION = 1.5
STABILISERS = (0.01**2, 0.03**2)  # of Wang et al. (2004) for pictures in [0, 1]
# Eight-bit files differ from what they hold by a thousandth or so: pictures closer than this count as equal.
LEAST_ERROR = 1e-6


def psnr(first: Tensor, second: Tensor) -> Tensor:
    """Peak signal-to-noise ratio in dB (B,), at most 60."""
    error = ((first - second) ** 2).flatten(1).mean(1)
    return -10 * torch.log10(error.clamp_min(LEAST_ERROR))


def ssim(first: Tensor, second: Tensor) -> Tensor:
    """Structural similarity with a Gaussian window (B,), 1 for equal pictures."""
    stacked = torch.cat([first, second, first * first, second * second, first * second], 1)  # (B, 5·C, H, W)
    mean_1, mean_2, square_1, square_2, product = smooth(stacked).chunk(5, 1)
    variances = square_1 - mean_1**2 + square_2 - mean_2**2
    covariance = product - mean_1 * mean_2
    light, contrast = STABILISERS
    numerator = (2 * mean_1 * mean_2 + light) * (2 * covariance + contrast)
    denominator = (mean_1**2 + mean_2**2 + light) * (variances + contrast)
    return (numerator / denominator).flatten(1).mean(1)


def smooth(planes: Tensor) -> Tensor:
    """Weighted means over the window, where it fits, rows and columns in turn."""
    steps = torch.arange(WINDOW, dtype=planes.dtype, device=planes.device) - WINDOW // 2
    weights = torch.exp(-(steps**2) / (2 * DEVIATION**2))
    weights = (weights / weights.sum()).expand(planes.shape[1], 1, 1, WINDOW)
    rows = functional.conv2d(planes, weights, groups=planes.shape[1])
    return functional.conv2d(rows, weights.transpose(2, 3), groups=planes.shape[1])


def likeness_loss(output: Tensor, target: Tensor, ssim_weight: float) -> Tensor:
    """Mean squared error plus weighted 1 - SSIM: what the modules are pretrained with."""
    return functional.mse_loss(output, target) + ssim_weight * (1 - ssim(output, target).mean())
