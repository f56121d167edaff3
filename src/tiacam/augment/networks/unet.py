"""The U-Net of Compression and Moiré: 64/128/256/512 channels, bottleneck 1024, residual in [-1, 1] (S5)."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

WIDTH = 64
LEVELS = 4
# Small, not zero: the module starts at its operator, and every layer has a gradient from the first step.
START_SCALE = 0.02


class UNet(nn.Module):
    """Four levels down, four up by transposed convolution, with skips; `width` 64 is the paper's.

    There is no normalisation: what is regressed is a residual whose size matters, and batch statistics would
    couple the pictures of a batch.
    """

    def __init__(self, channels: int, width: int = WIDTH) -> None:
        super().__init__()
        widths = [width << level for level in range(LEVELS + 1)]  # 64, 128, 256, 512, 1024
        self.down = nn.ModuleList(
            double_convolution(before, after)
            for before, after in zip([channels, *widths], widths[:-1], strict=False)
        )
        self.bottleneck = double_convolution(widths[-2], widths[-1])
        self.up = nn.ModuleList(
            nn.ConvTranspose2d(2 * after, after, 2, stride=2) for after in reversed(widths[:-1])
        )
        self.merge = nn.ModuleList(double_convolution(2 * after, after) for after in reversed(widths[:-1]))
        self.last = nn.Conv2d(width, 3, 1, bias=False)
        self.last.weight.data *= START_SCALE
        # the layout that tensor cores take; the inputs follow the weights
        self.to(memory_format=torch.channels_last)  # type: ignore[call-overload]

    def forward(self, image: Tensor) -> Tensor:
        height, width = image.shape[-2:]
        unit = 1 << LEVELS
        features = functional.pad(image, (0, -width % unit, 0, -height % unit), mode="replicate")
        skips = []
        for block in self.down:
            features = block(features)
            skips.append(features)
            features = functional.max_pool2d(features, 2)
        features = self.bottleneck(features)
        for up, merge, skip in zip(self.up, self.merge, reversed(skips), strict=True):
            features = merge(torch.cat([skip, up(features)], 1))
        return torch.tanh(self.last(features))[..., :height, :width]


def double_convolution(before: int, after: int) -> nn.Sequential:
    """Twice 3×3 convolution and ReLU."""
    return nn.Sequential(*convolution(before, after), *convolution(after, after))


def convolution(before: int, after: int) -> tuple[nn.Module, nn.Module]:
    """3×3 with weights that keep the variance through the ReLU."""
    layer = nn.Conv2d(before, after, 3, padding=1)
    nn.init.kaiming_normal_(layer.weight, nonlinearity="relu")
    return layer, nn.ReLU(inplace=True)
