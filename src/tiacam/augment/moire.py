"""T_moire: interference between the display's pixel grid and the sensor's (§3.1, S5)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from .coordinates import pixel_centres, pixel_indices
from .distortion import Distortion, Params, Strength, full_precision, per_picture
from .ranges import LearnableRange, Limits

# Fringes stronger than a quarter of the scale hide the picture.
AMPLITUDE = Limits(0.0, 0.25, start=(0.02, 0.12))
# Cycles per pixel: from two fringes across a 128-pixel picture to a period of three pixels.
FREQUENCY = Limits(0.015, 0.33, start=(0.03, 0.2))
# How far the subpixels of red and blue are displaced against green, in cycles.
COLOUR_SHIFT = Limits(0.0, 0.5, start=(0.0, 0.34))
# Lenses and tilted displays bend the fringes: the phase in cycles at the middle of an edge.
BEND = Limits(0.0, 0.5, start=(0.0, 0.3))
# The most that the network may add to the printed wave, in amplitudes: bright fringes have twice the mid-
# grey's.
RESIDUAL_LIMIT = 3.0


@dataclass(frozen=True)
class MoireParams(Params):
    """The wave: frequencies in cycles per pixel (B,), phases in cycles, amplitudes (B, 3), bend (B,)."""

    amplitude: Tensor
    frequency_x: Tensor
    frequency_y: Tensor
    phase: Tensor
    bend: Tensor


class Moire(Distortion[MoireParams]):
    """x + α·(sin(2π(f_x u + f_y v) + φ) + r) in each channel.

    The operator is the printed plane wave, added. On a display the fringes multiply the light, have harmonics
    and are bent: the U-Net of S5 sees the picture, the wave plain and bent, and the amplitude, and predicts
    the residual r, in amplitudes, that separates the plane wave from the rendered interference. Without a
    network r = 0.
    """

    name = "moire"

    def __init__(self, network: nn.Module | None = None) -> None:
        super().__init__()
        self.amplitude = LearnableRange(AMPLITUDE)
        self.frequency = LearnableRange(FREQUENCY)
        self.colour_shift = LearnableRange(COLOUR_SHIFT)
        self.bend = LearnableRange(BEND)
        self.network = network

    def sample(
        self, shape: Sequence[int], generator: torch.Generator, strength: Strength = 1.0
    ) -> MoireParams:
        dice, batch = self.dice(generator), shape[0]
        frequency, angle = self.frequency(dice.uniform(batch)), math.tau * dice.uniform(batch)
        shift = dice.signed(self.colour_shift, batch)
        green = dice.uniform(batch)
        return MoireParams(
            strength=self.spread_strength(shape, strength),
            amplitude=self.amplitude(dice.uniform(batch, 1)).expand(batch, 3),
            frequency_x=frequency * angle.cos(),
            frequency_y=frequency * angle.sin(),
            phase=torch.stack([green - shift, green, green + shift], 1),
            bend=dice.signed(self.bend, batch),
        )

    def apply(self, image: Tensor, params: MoireParams) -> Tensor:  # type: ignore[override]
        amplitude = params.strength[:, None] * params.amplitude
        with full_precision(image):
            turns = wave_turns(image, params)
            if self.network is None:
                return (image + turns.sine(amplitude)).clamp(0.0, 1.0)
            wave = turns.sine(torch.ones_like(amplitude))
            seen = self.describe(image, params, wave, turns.cosine())
        residual: Tensor = self.network(seen).to(image.dtype)
        return (image + per_picture(amplitude) * (wave + RESIDUAL_LIMIT * residual)).clamp(0.0, 1.0)

    def describe(self, image: Tensor, params: MoireParams, wave: Tensor, quadrature: Tensor) -> Tensor:
        """What the network sees (B, 13, H, W): picture, wave, the bent wave and its quadrature, amplitude."""
        amplitude = per_picture(params.amplitude[:, :1] / AMPLITUDE.high).expand_as(image[:, :1])
        bend = math.tau * params.bend[:, None, None, None] * bend_field(image)
        cosine, sine = bend.cos(), bend.sin()
        bent = wave * cosine + quadrature * sine
        return torch.cat([image, wave, bent, quadrature * cosine - wave * sine, amplitude], 1)


@dataclass(frozen=True)
class Turns:
    """2π f_y v and 2π f_x u + φ as sines and cosines along the sides.

    By the addition theorem the plane wave is a product of matrices with two columns, which costs one pass
    over the pixels and no sine for each of them.
    """

    column: Tensor  # (B, 1, H, 2): cos, sin of the row's angle
    row: Tensor  # (B, 3, 2, W): sin, cos of the column's angle, for each channel

    def sine(self, amplitude: Tensor) -> Tensor:
        """amplitude · sin(2π(f_x u + f_y v) + φ) with an amplitude for each channel (B, 3)."""
        return torch.matmul(self.column, per_picture(amplitude) * self.row)

    def cosine(self) -> Tensor:
        """cos(2π(f_x u + f_y v) + φ)."""
        sine, cosine = self.row.unbind(2)
        return torch.matmul(self.column, torch.stack([cosine, -sine], 2))


def wave_turns(image: Tensor, params: MoireParams) -> Turns:
    """The wave's angles along both sides of the picture."""
    v, u = (pixel_indices(side, image) for side in image.shape[-2:])
    along_x = math.tau * (params.frequency_x[:, None, None] * u + params.phase[..., None])  # (B, 3, W)
    along_y = math.tau * params.frequency_y[:, None, None] * v[:, None].T  # (B, 1, H)
    return Turns(
        column=torch.stack([along_y.cos(), along_y.sin()], 3),
        row=torch.stack([along_x.sin(), along_x.cos()], 2),
    )


def bend_field(image: Tensor) -> Tensor:
    """The squared distance from the centre (1, 1, H, W), 1 at the middle of an edge."""
    v, u = (pixel_centres(side, image) for side in image.shape[-2:])
    return (v[:, None] ** 2 + u[None, :] ** 2)[None, None]
