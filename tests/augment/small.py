"""Small modules and pictures that the augmentor's tests share."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from tiacam.augment import (
    Additive,
    Compression,
    Distortion,
    Filtering,
    Moire,
    Perspective,
    Photometric,
)
from tiacam.augment.networks import LatentDecoder, PoseRegressor, SpreadFunction, UNet

AnyDistortion = Distortion[Any]
OPERATORS = [Moire, Perspective, Photometric, Additive, Filtering, Compression]
DEVICES = ["cpu", *(["cuda"] if torch.cuda.is_available() else [])]
WIDTH = 4


def operators() -> list[AnyDistortion]:
    """The six closed forms of §3.1, without networks."""
    return [kind() for kind in OPERATORS]


def complete_modules() -> list[AnyDistortion]:
    """The six modules with small networks of S5's shape."""
    torch.manual_seed(0)
    return [
        Moire(UNet(13, WIDTH)),
        Perspective(PoseRegressor(7, WIDTH)),
        Photometric(LatentDecoder(described=6)),
        Additive(LatentDecoder()),
        Filtering(SpreadFunction(5)),
        Compression(UNet(8, WIDTH)),
    ]


def dice(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def pictures(batch: int = 3, size: int = 32, seed: int = 0) -> Tensor:
    """Smooth colours with some texture, away from black and white (B, 3, size, size)."""
    coarse = torch.rand(batch, 3, 5, 5, generator=dice(seed))
    smooth = torch.nn.functional.interpolate(coarse, (size, size), mode="bilinear", align_corners=True)
    return 0.2 + 0.55 * smooth + 0.05 * torch.rand(batch, 3, size, size, generator=dice(seed + 1))
