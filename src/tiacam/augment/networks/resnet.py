"""The regressor of Perspective: a ResNet-18 encoder → 256 → 128 → 9 (S5)."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

WIDTH = 64
HIDDEN = (256, 128)
# Small, not zero: the module starts at its operator, and every layer has a gradient from the first step.
START_SCALE = 0.05


class ResNet18(nn.Module):
    """The 18-layer residual encoder without its classifier; `width` 64 is the usual one.

    Normalisation is by groups: with batch statistics the pictures of a batch would not be independent.
    """

    def __init__(self, width: int = WIDTH) -> None:
        super().__init__()
        self.features = 8 * width
        self.stem = nn.Sequential(
            nn.Conv2d(3, width, 7, stride=2, padding=3, bias=False), normalise(width), nn.ReLU()
        )
        blocks: list[nn.Module] = []
        before = width
        for stage in range(4):
            after = width << stage
            blocks += [BasicBlock(before, after, stride=1 if stage == 0 else 2), BasicBlock(after, after)]
            before = after
        self.blocks = nn.Sequential(*blocks)

    def forward(self, image: Tensor) -> Tensor:
        stem = functional.max_pool2d(self.stem(image), 3, stride=2, padding=1)
        return self.blocks(stem).mean((2, 3))  # type: ignore[no-any-return]  # (B, 8·width)


class BasicBlock(nn.Module):
    """Two 3×3 convolutions beside a shortcut."""

    def __init__(self, before: int, after: int, stride: int = 1) -> None:
        super().__init__()
        self.first = nn.Conv2d(before, after, 3, stride=stride, padding=1, bias=False)
        self.second = nn.Conv2d(after, after, 3, padding=1, bias=False)
        self.first_norm, self.second_norm = normalise(after), normalise(after)
        self.shortcut: nn.Module = nn.Identity()
        if stride != 1 or before != after:
            self.shortcut = nn.Sequential(
                nn.Conv2d(before, after, 1, stride=stride, bias=False), normalise(after)
            )

    def forward(self, features: Tensor) -> Tensor:
        inner = functional.relu(self.first_norm(self.first(features)))
        inner = self.second_norm(self.second(inner))
        return functional.relu(inner + self.shortcut(features))


class PoseRegressor(nn.Module):
    """From a picture and the pose it is to be seen from to nine numbers in [-1, 1] (B, 3, 3)."""

    def __init__(self, described: int, width: int = WIDTH) -> None:
        super().__init__()
        self.encoder = ResNet18(width)
        first, second = HIDDEN
        self.head = nn.Sequential(
            nn.Linear(self.encoder.features + described, first),
            nn.ReLU(),
            nn.Linear(first, second),
            nn.ReLU(),
            nn.Linear(second, 9),
            nn.Tanh(),
        )
        last = self.head[-2]
        assert isinstance(last, nn.Linear)
        last.weight.data *= START_SCALE
        last.bias.data.zero_()

    def forward(self, image: Tensor, pose: Tensor) -> Tensor:
        joined = torch.cat([self.encoder(image), pose], 1)
        return self.head(joined).view(-1, 3, 3)  # type: ignore[no-any-return]


def normalise(channels: int) -> nn.GroupNorm:
    return nn.GroupNorm(max(1, channels // 16), channels)
