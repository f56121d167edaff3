"""A JPEG codec without its entropy coder, differentiable: colour, 4:2:0, block DCT, quantiser and back."""

from __future__ import annotations

import math

import torch
from torch import Tensor
from torch.nn import functional

from .constants import Table
from .rounding import ROUNDINGS, Rounding, floor_straight

# Annex K of ITU-T T.81, which libjpeg scales by the quality.
LUMA: tuple[float, ...] = (
     16,  11,  10,  16,  24,  40,  51,  61,
     12,  12,  14,  19,  26,  58,  60,  55,
     14,  13,  16,  24,  40,  57,  69,  56,
     14,  17,  22,  29,  51,  87,  80,  62,
     18,  22,  37,  56,  68, 109, 103,  77,
     24,  35,  55,  64,  81, 104, 113,  92,
     49,  64,  78,  87, 103, 121, 120, 101,
     72,  92,  95,  98, 112, 100, 103,  99,
)  # fmt: skip
CHROMA: tuple[float, ...] = (
     17,  18,  24,  47,  99,  99,  99,  99,
     18,  21,  26,  66,  99,  99,  99,  99,
     24,  26,  56,  99,  99,  99,  99,  99,
     47,  66,  99,  99,  99,  99,  99,  99,
     99,  99,  99,  99,  99,  99,  99,  99,
     99,  99,  99,  99,  99,  99,  99,  99,
     99,  99,  99,  99,  99,  99,  99,  99,
     99,  99,  99,  99,  99,  99,  99,  99,
)  # fmt: skip
BASE_TABLES = Table((LUMA, CHROMA))
# JFIF's RGB to Y, Cb, Cr in libjpeg's fixed point of 16 bits; the offset of 128 cancels against the level
# shift before the DCT. Its last bits decide how the many colours that lie between two levels are rounded.
TO_YCC = Table(
    tuple(
        tuple(weight / 65536 for weight in row)
        for row in ((19595, 38470, 7471), (-11058, -21710, 32768), (32768, -27439, -5329))
    )
)
# Back to RGB, and from 255 to 1.
TO_RGB = Table(
    tuple(
        tuple(weight / 255 for weight in row)
        for row in ((1.0, 0.0, 1.402), (1.0, -0.344136286, -0.714136286), (1.0, 1.772, 0.0))
    )
)
MIDDLE = Table(((128 / 255,),) * 3)
LEVEL_SHIFT = Table(((-128.0,), (0.0,), (0.0,)))
# With what libjpeg adds before it cuts the fraction off: chroma between two levels goes down.
LEVEL_SHIFT_AND_HALF = Table(((0.5 - 128,), (32767 / 65536,), (32767 / 65536,)))
HALF = Table((0.5,))
# libjpeg rounds the mean of four chroma samples up and down in turns, along the row.
CHROMA_BIAS = Table((0.25, 0.5))
# A coefficient between two levels goes away from zero, as in libjpeg, and not where the last bit of a sum
# takes it.
AWAY_FROM_ZERO = 1 + 1e-5
# Luma and two quarter-size chroma planes share blocks of 8×8, so sides are multiples of 16.
UNIT = 16


def code_jpeg(image: Tensor, tables: Tensor, mask: Tensor, rounding: Rounding = Rounding.STRAIGHT) -> Tensor:
    """What a JPEG file of the pictures (B, 3, H, W) shows; tables (B, 2, 64), mask (B, 2, 64) or (2, 64)."""
    height, width = image.shape[-2:]
    if height % UNIT or width % UNIT:
        image = functional.pad(image, (0, -width % UNIT, 0, -height % UNIT), mode="replicate")
    luma, chroma = split_colour(image, rounding)
    luma = code_plane(luma, tables[:, 0], mask[..., 0, :], rounding)
    chroma = code_plane(chroma, tables[:, 1], mask[..., 1, :], rounding)
    # libjpeg's "fancy" upsampling has the weights of bilinear interpolation
    chroma = functional.interpolate(chroma, scale_factor=2, mode="bilinear", align_corners=False)
    decoded = mix(torch.cat([luma, chroma], 1), TO_RGB, MIDDLE)
    return decoded[..., :height, :width].clamp(0.0, 1.0)


def split_colour(image: Tensor, rounding: Rounding) -> tuple[Tensor, Tensor]:
    """Luma (B, 1, H, W) and chroma (B, 2, H/2, W/2) in grey levels, centred on zero.

    libjpeg takes bytes and holds the planes as whole numbers, which decides many a coefficient at the edge
    between two levels. With true rounding they are whole here too; the sums are exact in single precision, so
    that every device decides alike.
    """
    if rounding is not Rounding.STRAIGHT:
        planes = mix(255.0 * image, TO_YCC, LEVEL_SHIFT)
        return planes[:, :1], functional.avg_pool2d(planes[:, 1:], 2)
    whole = floor_straight(torch.add(HALF.like(image), image, alpha=255.0))
    planes = floor_straight(mix(whole, TO_YCC, LEVEL_SHIFT_AND_HALF))
    bias = CHROMA_BIAS.like(image).repeat(image.shape[-1] // 4)
    return planes[:, :1], floor_straight(functional.avg_pool2d(planes[:, 1:], 2) + bias)


def code_plane(plane: Tensor, table: Tensor, mask: Tensor, rounding: Rounding) -> Tensor:
    """Transform, mask, quantise and transform back planes (B, C, H, W) centred on zero; table (B, 64)."""
    basis = DCT.like(plane)
    coefficients = to_blocks(plane) @ basis  # (B, N, 64)
    step = table[:, None]
    levels = ROUNDINGS[rounding](coefficients * (AWAY_FROM_ZERO * mask.unsqueeze(-2) / step))
    restored = (levels * step) @ basis.T
    return from_blocks(restored, plane.shape).clamp(-128.0, 127.0)


def scale_tables(quality: Tensor) -> Tensor:
    """The two quantisation tables (B, 2, 64) that libjpeg makes of a quality (B,) in [1, 100].

    Both the scale and the tables are whole numbers, as libjpeg's are; the gradient passes their rounding
    straight.
    """
    scale = floor_straight(torch.where(quality < 50, 5000 / quality, 200 - 2 * quality))
    return floor_straight(BASE_TABLES.like(quality) * scale[:, None, None] / 100 + 0.5).clamp(1.0, 255.0)


def mix(planes: Tensor, matrix: Table, offset: Table) -> Tensor:
    """Multiply the three channels by a 3×3 matrix and add an offset to each."""
    weights = matrix.like(planes).expand(len(planes), 3, 3)
    return torch.baddbmm(offset.like(planes), weights, planes.flatten(2)).view_as(planes)


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


def dct_basis() -> tuple[tuple[float, ...], ...]:
    """The orthonormal 2-D DCT of a flattened block as one 64×64 matrix: coefficients = block @ basis."""
    position = torch.arange(8, dtype=torch.float64)
    basis = (
        torch.cos((2 * position[:, None] + 1) * position[None, :] * math.pi / 16) / 2
    )  # (pixel, frequency)
    basis[:, 0] /= math.sqrt(2)
    return tuple(tuple(row) for row in torch.kron(basis, basis).tolist())


DCT = Table(dct_basis())
