"""A JPEG codec without its entropy coder, differentiable: colour, 4:2:0, block DCT, quantiser and back."""

from __future__ import annotations

import math
from functools import lru_cache

import torch
from torch import Tensor
from torch.nn import functional

from .rounding import ROUNDINGS, Rounding, floor_straight

# Annex K of ITU-T T.81, which libjpeg scales by the quality.
LUMA = (
     16,  11,  10,  16,  24,  40,  51,  61,
     12,  12,  14,  19,  26,  58,  60,  55,
     14,  13,  16,  24,  40,  57,  69,  56,
     14,  17,  22,  29,  51,  87,  80,  62,
     18,  22,  37,  56,  68, 109, 103,  77,
     24,  35,  55,  64,  81, 104, 113,  92,
     49,  64,  78,  87, 103, 121, 120, 101,
     72,  92,  95,  98, 112, 100, 103,  99,
)  # fmt: skip
CHROMA = (
     17,  18,  24,  47,  99,  99,  99,  99,
     18,  21,  26,  66,  99,  99,  99,  99,
     24,  26,  56,  99,  99,  99,  99,  99,
     47,  66,  99,  99,  99,  99,  99,  99,
     99,  99,  99,  99,  99,  99,  99,  99,
     99,  99,  99,  99,  99,  99,  99,  99,
     99,  99,  99,  99,  99,  99,  99,  99,
     99,  99,  99,  99,  99,  99,  99,  99,
)  # fmt: skip
# JFIF: RGB to Y, Cb, Cr; the offset of 128 cancels against the level shift before the DCT.
TO_YCC = ((0.299, 0.587, 0.114), (-0.168735892, -0.331264108, 0.5), (0.5, -0.418687589, -0.081312411))
TO_RGB = ((1.0, 0.0, 1.402), (1.0, -0.344136286, -0.714136286), (1.0, 1.772, 0.0))
# Luma and two quarter-size chroma planes share blocks of 8×8, so sides are multiples of 16.
UNIT = 16


def code_jpeg(image: Tensor, tables: Tensor, mask: Tensor, rounding: Rounding = Rounding.STRAIGHT) -> Tensor:
    """What a JPEG file of the pictures (B, 3, H, W) shows; tables (B, 2, 64), mask (B, 2, 64) or (2, 64)."""
    height, width = image.shape[-2:]
    padded = functional.pad(image, (0, -width % UNIT, 0, -height % UNIT), mode="replicate")
    luma, chroma = split_colour(padded, rounding)
    luma = code_plane(luma, tables[:, 0], mask[..., 0, :], rounding)
    chroma = code_plane(chroma, tables[:, 1], mask[..., 1, :], rounding)
    # libjpeg's "fancy" upsampling has the weights of bilinear interpolation
    chroma = functional.interpolate(chroma, scale_factor=2, mode="bilinear", align_corners=False)
    decoded = mix(torch.cat([luma, chroma], 1), TO_RGB) + 128.0
    return (decoded[..., :height, :width] / 255.0).clamp(0.0, 1.0)


def split_colour(image: Tensor, rounding: Rounding) -> tuple[Tensor, Tensor]:
    """Luma (B, 1, H, W) and chroma (B, 2, H/2, W/2) in grey levels, centred on zero.

    libjpeg holds them as whole numbers, which decides many a coefficient at the edge between two levels; with
    true rounding they are whole here too, the averages of four with libjpeg's alternating bias.
    """
    planes = mix(255.0 * image, TO_YCC)
    whole = rounding is Rounding.STRAIGHT
    planes = floor_straight(planes + 0.5) if whole else planes
    chroma = functional.avg_pool2d(planes[:, 1:], 2)
    if whole:
        bias = torch.tensor([0.25, 0.5], dtype=image.dtype, device=image.device).repeat(chroma.shape[-1] // 2)
        chroma = floor_straight(chroma + bias)
    return planes[:, :1] - 128.0, chroma


def code_plane(plane: Tensor, table: Tensor, mask: Tensor, rounding: Rounding) -> Tensor:
    """Transform, mask, quantise and transform back planes (B, C, H, W) centred on zero; table (B, 64)."""
    basis = dct_basis(plane.dtype, plane.device)
    coefficients = to_blocks(plane) @ basis  # (B, N, 64)
    step = table[:, None]
    levels = ROUNDINGS[rounding](coefficients * (mask.unsqueeze(-2) / step))
    restored = (levels * step) @ basis.T
    return from_blocks(restored, plane.shape).clamp(-128.0, 127.0)


def scale_tables(quality: Tensor) -> Tensor:
    """The two quantisation tables (B, 2, 64) that libjpeg makes of a quality (B,) in [1, 100].

    Both the scale and the tables are whole numbers, as libjpeg's are; the gradient passes their rounding
    straight.
    """
    scale = floor_straight(torch.where(quality < 50, 5000 / quality, 200 - 2 * quality))
    base = torch.tensor([LUMA, CHROMA], dtype=quality.dtype, device=quality.device)
    return floor_straight(base * scale[:, None, None] / 100 + 0.5).clamp(1.0, 255.0)


def mix(planes: Tensor, matrix: tuple[tuple[float, ...], ...]) -> Tensor:
    """Multiply the three channels by a 3×3 matrix."""
    weights = torch.tensor(matrix, dtype=planes.dtype, device=planes.device)
    return torch.matmul(weights, planes.flatten(2)).view_as(planes)


def to_blocks(plane: Tensor) -> Tensor:
    """(B, C, H, W) to (B, N, 64)."""
    batch, channels, height, width = plane.shape
    split = plane.view(batch, channels, height // 8, 8, width // 8, 8)
    return split.transpose(3, 4).reshape(batch, -1, 64)


def from_blocks(blocks: Tensor, shape: torch.Size) -> Tensor:
    """(B, N, 64) back to planes of `shape`."""
    batch, channels, height, width = shape
    split = blocks.view(batch, channels, height // 8, width // 8, 8, 8)
    return split.transpose(3, 4).reshape(shape)


@lru_cache(maxsize=8)
def dct_basis(dtype: torch.dtype, device: torch.device) -> Tensor:
    """The orthonormal 2-D DCT of a flattened block as one 64×64 matrix: coefficients = block @ basis."""
    position = torch.arange(8, dtype=torch.float64)
    basis = (
        torch.cos((2 * position[:, None] + 1) * position[None, :] * math.pi / 16) / 2
    )  # (pixel, frequency)
    basis[:, 0] /= math.sqrt(2)
    return torch.kron(basis, basis).to(dtype).to(device)
