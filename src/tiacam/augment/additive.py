"""T_add: the sensor's noise, x + σ·z, and dead or hot pixels (§3.1, S5)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from .distortion import Distortion, Params, Strength, full_precision, per_picture
from .ranges import LearnableRange, Limits

# Standard deviation of the white noise: 0.12 is a phone at night.
DEVIATION = Limits(0.0, 0.12, start=(0.0, 0.06))
# Share of salt-and-pepper pixels; sensors have far fewer, bad transmission this many.
IMPULSES = Limits(0.0, 0.05, start=(0.0, 0.01))
# Amplitude of the noise with structure (bands along rows and columns, blotches of colour).
PATTERN = Limits(0.0, 0.12, start=(0.0, 0.06))
# Gumbel-softmax temperature: low enough that a pixel is nearly replaced or nearly kept. At 0.2 the pixels in
# between would be what separates the module from real impulses most, by 6 dB.
TEMPERATURE = 0.05
# Under this share no pixel is hit, and the logarithm stays finite.
FEWEST_IMPULSES = 1e-8
LATENT = 512


@dataclass(frozen=True)
class AdditiveParams(Params):
    """Noise levels (B,), and the random fields themselves so that the draw replays."""

    deviation: Tensor
    impulses: Tensor
    pattern: Tensor
    white: Tensor  # (B, 3, H, W) standard normal
    gumbel: Tensor  # (B, 1, H, W) difference of two Gumbel variables
    colour: Tensor  # (B, 1, H, W) what an impulse puts there: 0 or 1
    latent: Tensor  # (B, 512) coordinates of the noise with structure


class Additive(Distortion[AdditiveParams]):
    """x + σ·z + a·r, then salt and pepper.

    The operator is the printed one: white noise by reparameterisation, and impulses whose place is a two-
    class Gumbel-softmax, so that their share has a gradient. Noise with structure does not come from
    independent pixels: the network of S5 decodes a 512-d latent into the residual map r of bands and
    blotches. Without a network r = 0.
    """

    name = "additive"

    def __init__(self, network: nn.Module | None = None) -> None:
        super().__init__()
        self.deviation = LearnableRange(DEVIATION)
        self.impulses = LearnableRange(IMPULSES)
        self.pattern = LearnableRange(PATTERN)
        self.network = network

    def sample(
        self, shape: Sequence[int], generator: torch.Generator, strength: Strength = 1.0
    ) -> AdditiveParams:
        dice = self.dice(generator)
        batch, _, height, width = shape
        return AdditiveParams(
            strength=self.spread_strength(shape, strength),
            deviation=self.deviation(dice.uniform(batch)),
            impulses=self.impulses(dice.uniform(batch)),
            pattern=self.pattern(dice.uniform(batch)),
            white=dice.normal(batch, 3, height, width),
            gumbel=torch.logit(dice.uniform(batch, 1, height, width), eps=1e-6),
            colour=dice.coin(batch, 1, height, width),
            latent=dice.normal(batch, LATENT),
        )

    def apply(self, image: Tensor, params: AdditiveParams) -> Tensor:  # type: ignore[override]
        noisy = torch.addcmul(image, per_picture(params.strength * params.deviation), params.white)
        if self.network is not None:
            size = (image.shape[-2], image.shape[-1])
            residual = self.network(params.latent, size).to(image.dtype)  # (B, 3, H, W) in [-1, 1]
            noisy = torch.addcmul(noisy, per_picture(params.strength * params.pattern), residual)
        with full_precision(image):
            hit = impulse_weight(params.strength * params.impulses, params.gumbel)
            return torch.lerp(noisy, params.colour, hit).clamp(0.0, 1.0)


def impulse_weight(share: Tensor, gumbel: Tensor) -> Tensor:
    """How far each pixel is replaced, in [0, 1]: the Gumbel-softmax of {kept, hit} with P(hit) = share."""
    odds = torch.logit(share, eps=FEWEST_IMPULSES)
    return torch.sigmoid((per_picture(odds) + gumbel) / TEMPERATURE)
