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
# The most that the network may add to the printed wave.
RESIDUAL_LIMIT = 0.5


@dataclass(frozen=True)
class MoireParams(Params):
    """The wave: frequencies in cycles per pixel (B,), phases in cycles, amplitudes (B, 3), bend (B,)."""

    amplitude: Tensor
    frequency_x: Tensor
    frequency_y: Tensor
    phase: Tensor
    bend: Tensor


class Moire(Distortion[MoireParams]):
    """x + α·sin(2π(f_x u + f_y v) + φ) in each channel, and a learned residual.

    The operator is the printed plane wave, added. On a display the fringes multiply the light, have harmonics
    and are bent: the U-Net of S5 sees the picture, the wave in quadrature, its amplitude and the bend of the
    phase, and adds what separates the plane wave from the rendered interference. Without a network the
    residual is 0.
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
        with full_precision(image):
            phase = wave_phase(image, params)
            wave = torch.sin(phase)
            added = per_picture(params.amplitude) * wave
        if self.network is not None:
            residual = self.network(self.describe(image, params, phase, wave)).to(image.dtype)
            added = added + RESIDUAL_LIMIT * residual
        return (image + per_picture(params.strength) * added).clamp(0.0, 1.0)

    def describe(self, image: Tensor, params: MoireParams, phase: Tensor, wave: Tensor) -> Tensor:
        """What the network sees: picture, wave, its quadrature, amplitude and bend (B, 11, H, W)."""
        amplitude = per_picture(params.amplitude[:, :1] / AMPLITUDE.high).expand_as(image[:, :1])
        bend = params.bend[:, None, None, None] * bend_field(image)
        return torch.cat([image, wave, torch.cos(phase), amplitude, bend], 1)


def wave_phase(image: Tensor, params: MoireParams) -> Tensor:
    """2π(f_x u + f_y v) + φ for every channel and pixel (B, 3, H, W), in radians."""
    v, u = (pixel_indices(side, image) for side in image.shape[-2:])
    along_x = params.frequency_x[:, None, None] * u + params.phase[..., None]  # (B, 3, W)
    along_y = params.frequency_y[:, None] * v  # (B, H)
    return math.tau * (along_x[:, :, None, :] + along_y[:, None, :, None])


def bend_field(image: Tensor) -> Tensor:
    """The squared distance from the centre (1, 1, H, W), 1 at the middle of an edge."""
    v, u = (pixel_centres(side, image) for side in image.shape[-2:])
    return (v[:, None] ** 2 + u[None, :] ** 2)[None, None]
