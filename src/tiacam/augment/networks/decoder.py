"""The decoder that Additive and Photometric share: latent → 8×8×128 → four ConvTranspose2d → Tanh (S5)."""

from __future__ import annotations

from typing import Protocol

from torch import Tensor, nn
from torch.nn import functional

LATENT = 512
SEED_SIZE = 8
SEED_CHANNELS = 128
CHANNELS = (128, 64, 32, 3)
# Small, not zero: the module starts at its operator, and every layer has a gradient from the first step.
START_SCALE = 0.02


class ResidualMap(Protocol):
    """A network that turns a code (B, n) into a residual map (B, 3, H, W) in [-1, 1]."""

    def __call__(self, code: Tensor, size: tuple[int, int]) -> Tensor: ...


class LatentDecoder(nn.Module):
    """A residual map of 128×128 from a 512-d latent, resized to the picture.

    `described` > 0 puts a fully-connected embedding of that many physical numbers before the latent;
    otherwise the code is the latent itself.
    """

    def __init__(self, described: int = 0) -> None:
        super().__init__()
        self.embed = nn.Linear(described, LATENT) if described else nn.Identity()
        self.expand = nn.Linear(LATENT, SEED_SIZE * SEED_SIZE * SEED_CHANNELS)
        self.upsample = nn.Sequential(*upsampling_blocks(), nn.Tanh())

    def forward(self, code: Tensor, size: tuple[int, int]) -> Tensor:
        expanded: Tensor = self.expand(self.embed(code))
        seed = functional.relu(expanded).view(-1, SEED_CHANNELS, SEED_SIZE, SEED_SIZE)
        residual: Tensor = self.upsample(seed)  # (B, 3, 128, 128)
        if residual.shape[-2:] == size:
            return residual
        return functional.interpolate(residual, size, mode="bilinear", align_corners=False)


def upsampling_blocks() -> list[nn.Module]:
    """Four doublings, with ReLU between them."""
    layers: list[nn.Module] = []
    for before, after in zip((SEED_CHANNELS, *CHANNELS), CHANNELS, strict=False):
        layers += [nn.ConvTranspose2d(before, after, 4, stride=2, padding=1), nn.ReLU()]
    last = layers[-2]
    assert isinstance(last, nn.ConvTranspose2d)
    assert last.bias is not None
    last.weight.data *= START_SCALE
    last.bias.data.zero_()
    return layers[:-1]
