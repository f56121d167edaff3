"""The noise layers between encoder and decoder, differentiable; `ramp` in [0, 1] says how hard they are by now."""

from __future__ import annotations

import random
from abc import ABC, abstractmethod

import torch
from torch import Tensor, nn

from tiacam.augment import Additive, Compression, Filtering, Moire, Perspective, Photometric

KEPT = 0.4  # HiDDeN: share of the marked pixels that dropout and cropout leave
MOIRE_SHARE = 0.5
WARP = 0.5  # of the default ranges: about what a person who crops by hand leaves


class NoiseLayer(nn.Module, ABC):
    """What happens to a marked picture (B, 3, H, W) before it is read."""

    @abstractmethod
    def distort(self, marked: Tensor, cover: Tensor, generator: torch.Generator, ramp: float) -> Tensor:
        """The picture that the decoder sees."""


def uniform(batch: int, generator: torch.Generator, high: float) -> Tensor:
    return high * torch.rand(batch, generator=generator, device=generator.device)


def blurring() -> Filtering:
    """Blur by focus alone."""
    blur = Filtering()
    blur.focus.open_()
    blur.motion.fix_(0.0)
    return blur


class DigitalNoise(NoiseLayer):
    """HiDDeN's but for its crop: one of identity, dropout, cropout, blur and JPEG for a whole batch."""

    def __init__(self) -> None:
        super().__init__()
        self.blur, self.jpeg = blurring(), Compression()
        self.jpeg.quality.open_()
        self.requires_grad_(False)
        self.random = random.Random(0)  # on the host: a draw on the device would be waited for in every step
        self.choices = (self.keep, self.drop, self.cut_out, self.soften, self.compress)

    def distort(self, marked: Tensor, cover: Tensor, generator: torch.Generator, ramp: float) -> Tensor:
        share = 1 - ramp * (1 - KEPT)
        return self.random.choice(self.choices)(marked, cover, generator, share)

    def keep(self, marked: Tensor, _cover: Tensor, _generator: torch.Generator, _share: float) -> Tensor:
        return marked

    def drop(self, marked: Tensor, cover: Tensor, generator: torch.Generator, share: float) -> Tensor:
        """Single pixels of the cover come back."""
        shape = (len(marked), 1, *marked.shape[-2:])
        kept = torch.rand(shape, generator=generator, device=marked.device) < share
        return torch.where(kept, marked, cover)

    def cut_out(self, marked: Tensor, cover: Tensor, _generator: torch.Generator, share: float) -> Tensor:
        """All but a rectangle of the cover comes back."""
        top, left, height, width = self.rectangle(marked, share)
        kept = torch.zeros_like(marked[:1, :1], dtype=torch.bool)
        kept[..., top : top + height, left : left + width] = True
        return torch.where(kept, marked, cover)

    def rectangle(self, like: Tensor, share: float) -> tuple[int, int, int, int]:
        """Top, left, height and width of a random rectangle with this share of the area, in steps of 8 pixels."""
        height, width = (max(16, round(side * share**0.5 / 8) * 8) for side in like.shape[-2:])
        top = self.random.randint(0, like.shape[-2] - height)
        return top, self.random.randint(0, like.shape[-1] - width), height, width

    def soften(self, marked: Tensor, _cover: Tensor, generator: torch.Generator, _share: float) -> Tensor:
        return self.blur(marked, self.blur.sample(marked.shape, generator))  # type: ignore[no-any-return]

    def compress(self, marked: Tensor, _cover: Tensor, generator: torch.Generator, _share: float) -> Tensor:
        return self.jpeg(marked, self.jpeg.sample(marked.shape, generator))  # type: ignore[no-any-return]


class CameraNoise(NoiseLayer):
    """StegaStamp's: perspective, blur, colour, noise and JPEG, all of them, each at a random strength."""

    def __init__(self) -> None:
        super().__init__()
        self.warp = Perspective()
        self.others = nn.ModuleList([Filtering(), Photometric(), Additive(), Compression()])
        self.requires_grad_(False)

    def distort(self, marked: Tensor, _cover: Tensor, generator: torch.Generator, ramp: float) -> Tensor:
        strength = uniform(len(marked), generator, WARP * ramp)
        photo: Tensor = self.warp(marked, self.warp.sample(marked.shape, generator, strength))
        for module in self.others:
            strength = uniform(len(marked), generator, ramp)
            photo = module(photo, module.sample(photo.shape, generator, strength))  # type: ignore[operator]
        return photo


class ScreenNoise(NoiseLayer):
    """PIMoG's: perspective, uneven light, moiré and a little noise."""

    def __init__(self) -> None:
        super().__init__()
        self.warp, self.moire, self.noise = Perspective(), Moire(), Additive()
        self.requires_grad_(False)

    def distort(self, marked: Tensor, _cover: Tensor, generator: torch.Generator, ramp: float) -> Tensor:
        batch, shape = len(marked), marked.shape
        photo = self.warp(marked, self.warp.sample(shape, generator, uniform(batch, generator, WARP * ramp)))
        photo = photo * light(photo, generator, ramp)
        rare = (uniform(batch, generator, 1.0) < MOIRE_SHARE) * uniform(batch, generator, ramp)
        photo = self.moire(photo.clamp(0, 1), self.moire.sample(shape, generator, rare))
        noisy: Tensor = self.noise(
            photo, self.noise.sample(shape, generator, uniform(batch, generator, 0.5 * ramp))
        )
        return noisy


def light(like: Tensor, generator: torch.Generator, ramp: float) -> Tensor:
    """A lamp's light (B, 1, H, W) around 1, falling off along a line from one edge to the other."""
    height, width = like.shape[-2:]
    unit = torch.rand((len(like), 3), generator=generator, device=like.device)
    angle, depth, level = 2 * torch.pi * unit[:, 0], 0.3 * ramp * unit[:, 1], 0.2 * ramp * (unit[:, 2] - 0.5)
    y = torch.linspace(-1, 1, height, device=like.device)[None, :, None]
    x = torch.linspace(-1, 1, width, device=like.device)[None, None, :]
    slope = angle.cos()[:, None, None] * x + angle.sin()[:, None, None] * y
    return (1 + level[:, None, None] + depth[:, None, None] * slope)[:, None]
