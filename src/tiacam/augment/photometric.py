"""T_photo: another light and another camera's rendering, α·x^γ + β (§3.1, S5)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from .distortion import Distortion, Params, Strength, full_precision, per_picture
from .ranges import LearnableRange, Limits

# Contrast between a washed-out display in daylight and a hard tone curve.
CONTRAST = Limits(0.5, 1.6, start=(0.75, 1.25))
# Logarithm of γ: displays and cameras disagree by up to a factor of two either way.
GAMMA = Limits(-0.7, 0.7, start=(-0.35, 0.35))
# Black level and flare: a quarter of the scale hides shadows or clips lights and still leaves a picture.
BRIGHTNESS = Limits(-0.25, 0.25, start=(-0.1, 0.1))
# White balance: the factor by which a single channel deviates.
CAST = Limits(0.0, 0.2, start=(0.0, 0.1))
# Share of the light that a lens and a reading lamp lose towards the corners.
VIGNETTE = Limits(0.0, 0.5, start=(0.0, 0.3))
# Light that comes from one side: the change from the centre to the edge.
SLOPE = Limits(0.0, 0.2, start=(0.0, 0.1))
# A lamp's spot on the picture: the gain at its centre.
SPOT = Limits(0.0, 0.4, start=(0.0, 0.25))
# Under one grey level the power is continued by a line, as sRGB does, so that its slope stays finite at
# black.
TOE = 1 / 255
# The network's light lies between none and twice the even light: all three effects together stay inside.
LIGHT_LIMIT = 1.0


@dataclass(frozen=True)
class PhotometricParams(Params):
    """The rendering per channel (B, 3) and the light (B,); positions in [-1, 1]."""

    contrast: Tensor
    gamma: Tensor
    brightness: Tensor
    vignette: Tensor
    slope_x: Tensor
    slope_y: Tensor
    spot: Tensor
    spot_x: Tensor
    spot_y: Tensor

    def light(self) -> Tensor:
        """What the network is told of the light, in comparable units (B, 6)."""
        slopes = [self.slope_x / SLOPE.high, self.slope_y / SLOPE.high]
        spot = [self.spot / SPOT.high, self.spot_x, self.spot_y]
        return torch.stack([self.vignette / VIGNETTE.high, *slopes, *spot], 1)


class Photometric(Distortion[PhotometricParams]):
    """α·(x·(1 + r))^γ + β per channel, where r is the unevenness of the light.

    The operator is the printed one: contrast, gamma and brightness. It renders a picture evenly, which light
    on a page never is: the network of S5 turns the light's description into the latent and that into the
    residual map r, which multiplies, because light does. Without a network r = 0.
    """

    name = "photometric"

    def __init__(self, network: nn.Module | None = None) -> None:
        super().__init__()
        self.contrast = LearnableRange(CONTRAST)
        self.gamma = LearnableRange(GAMMA)
        self.brightness = LearnableRange(BRIGHTNESS)
        self.cast = LearnableRange(CAST)
        self.vignette = LearnableRange(VIGNETTE)
        self.slope = LearnableRange(SLOPE)
        self.spot = LearnableRange(SPOT)
        self.network = network

    def sample(
        self, shape: Sequence[int], generator: torch.Generator, strength: Strength = 1.0
    ) -> PhotometricParams:
        dice, batch = self.dice(generator), shape[0]
        cast = 1 + dice.signed(self.cast, batch, 3)
        return PhotometricParams(
            strength=self.spread_strength(shape, strength),
            contrast=self.contrast(dice.uniform(batch, 1)) * cast,
            gamma=self.gamma(dice.uniform(batch, 1)).exp().expand(batch, 3),
            brightness=self.brightness(dice.uniform(batch, 1)).expand(batch, 3),
            vignette=self.vignette(dice.uniform(batch)),
            slope_x=dice.signed(self.slope, batch),
            slope_y=dice.signed(self.slope, batch),
            spot=self.spot(dice.uniform(batch)),
            spot_x=2 * dice.uniform(batch) - 1,
            spot_y=2 * dice.uniform(batch) - 1,
        )

    def apply(self, image: Tensor, params: PhotometricParams) -> Tensor:  # type: ignore[override]
        if self.network is not None:
            size = (image.shape[-2], image.shape[-1])
            residual = self.network(params.light(), size).to(image.dtype)  # (B, 3, H, W) in [-1, 1]
            image = image * (1 + per_picture(params.strength * LIGHT_LIMIT) * residual)
        strength = params.strength[:, None]
        contrast = 1 + strength * (params.contrast - 1)
        gamma = params.gamma**strength
        with full_precision(image):
            return render(image, contrast, gamma, strength * params.brightness).clamp(0.0, 1.0)


def render(image: Tensor, contrast: Tensor, gamma: Tensor, brightness: Tensor) -> Tensor:
    """α·x^γ + β with one α, γ and β for each picture or for each of its channels."""
    values = (per_picture(value) for value in (contrast, gamma, brightness))
    rendered: Tensor = _Render.apply(image, *values)  # type: ignore[no-untyped-call]
    return rendered


class _Render(torch.autograd.Function):
    """α·x·max(x, toe)^(γ - 1) + β, whose derivative reuses the power instead of taking another."""

    @staticmethod
    def forward(ctx: Any, image: Tensor, contrast: Tensor, gamma: Tensor, brightness: Tensor) -> Tensor:
        curve = image.clamp_min(TOE).pow_(gamma - 1)
        ctx.save_for_backward(image, contrast, gamma, brightness, curve)
        return torch.addcmul(brightness, image * contrast, curve)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        image, contrast, gamma, brightness, curve = ctx.saved_tensors
        scaled = gradients[0] * curve  # ∂/∂(α x)
        needs = ctx.needs_input_grad
        power = scaled * image if needs[1] or needs[2] else scaled
        slope = torch.where(image > TOE, contrast * gamma, contrast)
        return (
            scaled * slope if needs[0] else None,
            power.sum_to_size(contrast.shape) if needs[1] else None,
            (power * contrast * image.clamp_min(TOE).log()).sum_to_size(gamma.shape) if needs[2] else None,
            gradients[0].sum_to_size(brightness.shape) if needs[3] else None,
        )
