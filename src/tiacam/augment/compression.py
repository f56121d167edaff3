"""T_comp: lossy compression as JPEG does it, with a gradient (§3.1, S5)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from .codec import code_jpeg, scale_tables
from .distortion import Distortion, Params, Strength, full_precision, per_picture, trim
from .ranges import LearnableRange, Limits
from .rounding import Rounding

# Messengers and web pages save between 30 and 95; at 10 only blocks of colour are left.
QUALITY = Limits(10.0, 95.0, start=(30.0, 95.0))
# Strengths up to this one fade the codec in, since even quality 100 with 4:2:0 is not the identity.
FADE_IN = 0.1
# Of four pictures that people send each other about one is recompressed by a codec newer than JPEG.
WEBP_SHARE = 0.25
# What the network may add: to JPEG five grey levels, since the operator is nearly the codec, and for WebP
# what separates two codecs at one quality.
JPEG_LIMIT, WEBP_LIMIT = 0.02, 0.15


@dataclass(frozen=True)
class CompressionParams(Params):
    """Quality (B,), frequency mask M of luma and chroma (B, 2, 64), and the codec (B,): 0 JPEG, 1 WebP."""

    quality: Tensor
    mask: Tensor
    webp: Tensor


class Compression(Distortion[CompressionParams]):
    """JPEG(x) + r: block DCT times M, quantisation with the quality's tables, 4:2:0, and a learned residual.

    The operator is the printed surrogate. The U-Net of S5 sees the picture, the surrogate's output, the
    quality and the codec, and adds what separates the surrogate from the real codec: next to nothing for
    JPEG, and for WebP the prediction and the deblocking that block DCT lacks. Without a network r = 0.
    """

    name = "compression"

    def __init__(self, network: nn.Module | None = None, rounding: Rounding = Rounding.STRAIGHT) -> None:
        super().__init__()
        self.quality = LearnableRange(QUALITY)
        self.mask = nn.Parameter(torch.ones(2, 64))
        self.network = network
        self.rounding = rounding

    def sample(
        self, shape: Sequence[int], generator: torch.Generator, strength: Strength = 1.0
    ) -> CompressionParams:
        dice, batch = self.dice(generator), shape[0]
        return CompressionParams(
            strength=self.spread_strength(shape, strength),
            quality=self.quality(dice.uniform(batch)),
            mask=self.mask.clamp(0.0, 1.0).expand(batch, 2, 64),
            webp=(dice.uniform(batch) < WEBP_SHARE).to(self.mask.dtype),
        )

    def apply(self, image: Tensor, params: CompressionParams) -> Tensor:  # type: ignore[override]
        quality = 100 - params.strength * (100 - params.quality)
        mask = 1 - params.strength[:, None, None] * (1 - params.mask)
        with full_precision(image):
            coded = code_jpeg(image, scale_tables(quality), mask, self.rounding)
        if self.network is not None:
            told = per_picture(torch.stack([quality / 100, params.webp], 1)).expand(-1, -1, *image.shape[-2:])
            residual = self.network(torch.cat([image, coded, told], 1)).to(image.dtype)
            limit = JPEG_LIMIT + (WEBP_LIMIT - JPEG_LIMIT) * params.webp
            coded = coded + per_picture(limit) * residual
            coded = coded.clamp(0.0, 1.0)
        presence = per_picture((params.strength / FADE_IN).clamp_max(1.0))
        return trim(torch.lerp(image, coded, presence))

    @torch.no_grad()
    def project_(self) -> None:
        super().project_()
        self.mask.clamp_(0.0, 1.0)
