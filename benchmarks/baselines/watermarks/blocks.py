"""What the three networks are made of."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional

RESIDUAL_LIMIT = 0.2  # the most that a mark may move a pixel, of 1


def conv(inputs: int, outputs: int, stride: int = 1) -> nn.Sequential:
    """3×3 convolution, batch normalisation, ReLU."""
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, 3, stride, padding=1, bias=False),
        nn.BatchNorm2d(outputs),
        nn.ReLU(inplace=True),
    )


def signs(message: Tensor) -> Tensor:
    """Bits 0 and 1 as -1 and 1."""
    return 2 * message - 1


def add_mark(cover: Tensor, residual: Tensor) -> Tensor:
    """The marked picture, still in [0, 1]."""
    return (cover + RESIDUAL_LIMIT * torch.tanh(residual.float())).clamp(0, 1)


class MessagePlane(nn.Module):
    """A message (B, K) as a picture (B, C, side, side), by one dense layer."""

    def __init__(self, bits: int, channels: int, side: int) -> None:
        super().__init__()
        self.shape = (channels, side, side)
        self.dense = nn.Linear(bits, channels * side * side)

    def forward(self, message: Tensor) -> Tensor:
        plane: Tensor = functional.relu(self.dense(signs(message))).unflatten(1, self.shape)
        return plane


class UNet(nn.Module):
    """Planes (B, C, H, W) → residual (B, 3, H, W), halving the sides once for each width after the first."""

    def __init__(self, inputs: int, widths: Sequence[int]) -> None:
        super().__init__()
        self.first = conv(inputs, widths[0])
        pairs = list(itertools.pairwise(widths))
        self.down = nn.ModuleList(conv(narrow, wide, 2) for narrow, wide in pairs)
        self.up = nn.ModuleList(conv(wide + narrow, narrow) for narrow, wide in reversed(pairs))
        self.last = nn.Conv2d(widths[0] + inputs, 3, 3, padding=1)

    def forward(self, planes: Tensor) -> Tensor:
        levels = [self.first(planes)]
        for down in self.down:
            levels.append(down(levels[-1]))
        hidden = levels.pop()
        for up in self.up:
            beside = levels.pop()
            hidden = up(torch.cat([functional.interpolate(hidden, size=beside.shape[-2:]), beside], 1))
        residual: Tensor = self.last(torch.cat([hidden, planes], 1))
        return residual


class Reader(nn.Module):
    """Pictures (B, 3, H, W) → logits (B, K): strided convolutions, a 4×4 grid, two dense layers."""

    def __init__(self, bits: int, widths: Sequence[int], dense: int) -> None:
        super().__init__()
        layers: list[nn.Module] = [conv(3, widths[0])]
        for narrow, wide in itertools.pairwise(widths):
            layers += [conv(narrow, wide, 2), conv(wide, wide)]
        self.convolutions = nn.Sequential(*layers, nn.AdaptiveAvgPool2d(4), nn.Flatten())
        self.dense = nn.Sequential(
            nn.Linear(16 * widths[-1], dense), nn.ReLU(inplace=True), nn.Linear(dense, bits)
        )

    def forward(self, picture: Tensor) -> Tensor:
        logits: Tensor = self.dense(self.convolutions(picture - 0.5))
        return logits
