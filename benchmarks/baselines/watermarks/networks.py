"""The three systems: an encoder (cover, message → marked picture), a decoder (picture → logits), a noise layer.

All mark by a bounded residual and are trained without a critic and without LPIPS, unlike the originals; what else
differs is said in docs/baselines.md.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from benchmarks.baselines.watermarks.blocks import MessagePlane, Reader, UNet, add_mark, conv, signs
from benchmarks.baselines.watermarks.noise import CameraNoise, DigitalNoise, NoiseLayer, ScreenNoise
from torch import Tensor, nn
from torch.nn import functional

STEGA_WIDTHS = (32, 48, 64, 96, 128)
READER_WIDTHS = (32, 48, 64, 96, 128)
DENSE = 256
PLANE_SIDE = 16
READ_PLANES = 16


class HiddenEncoder(nn.Module):
    """HiDDeN (Zhu et al. 2018): the message at every pixel beside features and the cover.

    Here each bit's plane is multiplied by a fixed pattern of signs. The original's planes are constant, from which
    convolutions make no texture on calm pictures, and need days of training.
    """

    patterns: Tensor

    def __init__(self, bits: int, width: int = 64, depth: int = 4) -> None:
        super().__init__()
        self.features = nn.Sequential(conv(3, width), *(conv(width, width) for _ in range(depth - 1)))
        self.join = conv(width + bits + 3, width)
        self.last = nn.Conv2d(width, 3, 1)
        self.register_buffer("patterns", torch.randn(1, bits, PLANE_SIDE, PLANE_SIDE).sign())

    def forward(self, cover: Tensor, message: Tensor) -> Tensor:
        planes = (
            functional.interpolate(self.patterns, size=cover.shape[-2:]) * signs(message)[:, :, None, None]
        )
        joined = self.join(torch.cat([self.features(cover - 0.5), planes, cover], 1))
        return add_mark(cover, self.last(joined))


class HiddenDecoder(nn.Module):
    """HiDDeN's: convolutions at full size, their means over a grid where it takes the whole, a dense layer."""

    def __init__(self, bits: int, width: int = 64, depth: int = 6) -> None:
        super().__init__()
        self.convolutions = nn.Sequential(conv(3, width), *(conv(width, width) for _ in range(depth - 1)))
        self.planes = nn.Conv2d(width, READ_PLANES, 3, padding=1)
        self.pool = nn.Sequential(nn.AdaptiveAvgPool2d(PLANE_SIDE), nn.Flatten())
        self.dense = nn.Linear(READ_PLANES * PLANE_SIDE**2, bits)

    def forward(self, picture: Tensor) -> Tensor:
        logits: Tensor = self.dense(self.pool(self.planes(self.convolutions(picture - 0.5))))
        return logits


class StegaEncoder(nn.Module):
    """StegaStamp (Tancik et al. 2020): the message as a small picture, enlarged, beside the cover in a U-Net."""

    def __init__(self, bits: int) -> None:
        super().__init__()
        self.plane = MessagePlane(bits, 3, PLANE_SIDE)
        self.network = UNet(6, STEGA_WIDTHS)

    def forward(self, cover: Tensor, message: Tensor) -> Tensor:
        plane = functional.interpolate(self.plane(message), size=cover.shape[-2:])
        return add_mark(cover, self.network(torch.cat([cover - 0.5, plane], 1)))


class StegaDecoder(nn.Module):
    """StegaStamp's: a spatial transformer that begins as the identity, then convolutions and dense layers."""

    def __init__(self, bits: int) -> None:
        super().__init__()
        self.look = nn.Sequential(
            conv(3, 32, 2), conv(32, 32, 2), conv(32, 32, 2), nn.AdaptiveAvgPool2d(4), nn.Flatten()
        )
        self.align = nn.Linear(16 * 32, 6)
        nn.init.zeros_(self.align.weight)
        nn.init.zeros_(self.align.bias)
        self.reader = Reader(bits, READER_WIDTHS, DENSE)

    def forward(self, picture: Tensor) -> Tensor:
        change = self.align(self.look(picture - 0.5)).float().unflatten(1, (2, 3))
        logits: Tensor = self.reader(shift(picture.float(), 0.1 * change))
        return logits


def shift(picture: Tensor, change: Tensor) -> Tensor:
    """The picture under the affine map I + `change` (B, 2, 3), in full precision: bf16 cannot address 128 pixels."""
    matrix = torch.eye(2, 3, device=picture.device) + change
    with torch.autocast(picture.device.type, enabled=False):
        grid = functional.affine_grid(matrix, list(picture.shape), align_corners=False)
        return functional.grid_sample(picture, grid, padding_mode="border", align_corners=False)


class PimogEncoder(nn.Module):
    """PIMoG (Fang et al. 2022): message planes at full size beside features of the cover, then a U-Net."""

    def __init__(self, bits: int, width: int = 16) -> None:
        super().__init__()
        self.plane = MessagePlane(bits, 8, PLANE_SIDE)
        self.spread = conv(8, width)
        self.features = conv(3, width)
        self.network = UNet(2 * width + 3, (32, 48, 64, 96))

    def forward(self, cover: Tensor, message: Tensor) -> Tensor:
        plane = functional.interpolate(self.plane(message), size=cover.shape[-2:], mode="bilinear")
        centred = cover - 0.5
        return add_mark(
            cover, self.network(torch.cat([self.features(centred), self.spread(plane), centred], 1))
        )


@dataclass(frozen=True)
class System:
    """One watermark: its parts, and about where its authors operate it."""

    name: str
    encoder: nn.Module
    decoder: nn.Module
    noise: NoiseLayer
    target_psnr: float  # dB, near what was published: the mark is made fainter only down to here
    masked: bool = False  # PIMoG: changes cost less where the picture has edges


def build(name: str, bits: int) -> System:
    """A system by its name, untrained."""
    if name == "hidden":
        return System(name, HiddenEncoder(bits), HiddenDecoder(bits), DigitalNoise(), 33.5)
    if name == "stegastamp":
        return System(name, StegaEncoder(bits), StegaDecoder(bits), CameraNoise(), 28.5)
    if name == "pimog":
        return System(
            name, PimogEncoder(bits), Reader(bits, READER_WIDTHS, DENSE), ScreenNoise(), 36.0, masked=True
        )
    raise ValueError(f"no watermark {name!r}, there are {', '.join(SYSTEMS)}")


SYSTEMS = ("hidden", "stegastamp", "pimog")
