"""Simulated captures for training: placement in a scene, then the camera's operators of `augment`.

Never used for measuring: `capture/` has the simulators for that, and `evaluate` may not import this.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import torch
from torch import Tensor, nn

from tiacam.augment import Additive, Compression, Filtering, Moire, Photometric
from tiacam.training.light import coarsen, fade, haze, shine
from tiacam.training.partial import draw_window, look_through
from tiacam.training.placement import (
    Box,
    PlacementSettings,
    draw_box,
    draw_placement,
    place,
    put_in_box,
    sample,
)

RARE_IMPULSES = 0.001  # dead pixels are few in photos; salt and pepper is a distortion of its own


@dataclass(frozen=True)
class CaptureSettings:
    """Which effects a capture gets; shares are probabilities, strengths are drawn up to one."""

    placement: PlacementSettings = field(default_factory=PlacementSettings)
    moire_share: float = 0.35
    glare_share: float = 0.45
    fade_share: float = 0.4
    haze_share: float = 0.5
    coarse_share: float = 0.3
    occluder_share: float = 0.3
    partial_share: float = 0.15
    plain_share: float = 0.1  # captures without any camera effect
    noise_share: float = 0.6  # fine texture cannot be told from strong noise
    crop: float = 0.6  # least side of the part of a training picture that counts as the picture


class CaptureSimulator(nn.Module):
    """Pictures (B, 3, H, W) → (what is registered, its capture), both (B, 3, size, size)."""

    def __init__(self, settings: CaptureSettings | None = None) -> None:
        super().__init__()
        self.settings = settings or CaptureSettings()
        self.moire, self.photometric = Moire(), Photometric()
        self.additive, self.filtering, self.compression = Additive(), Filtering(), Compression()
        for module in (self.moire, self.photometric, self.additive, self.filtering, self.compression):
            for learnable in module.ranges().values():
                learnable.open_()
        self.additive.impulses.fix_(RARE_IMPULSES)
        self.requires_grad_(False)

    @torch.no_grad()
    def forward(self, sources: Tensor, size: int, generator: torch.Generator) -> tuple[Tensor, Tensor]:
        content = self.cut(sources, size, generator)
        box = draw_box(len(content), generator, self.settings.placement)
        clean = put_in_box(content, box)
        # The photo shows the margin too, or the thing was cut out and the margin was never there.
        shown = torch.where(box.cut_out[:, None, None, None], content, clean)
        return clean, self.capture(shown, generator, box.where_cut_out())

    def cut(self, sources: Tensor, size: int, generator: torch.Generator) -> Tensor:
        """A random part of each training picture, perhaps mirrored: more pictures than there are files."""
        batch, device = len(sources), sources.device
        unit = torch.rand((batch, 4), generator=generator, device=device)
        extent = self.settings.crop + (1 - self.settings.crop) * unit[:, :2]
        centre = (1 - extent) * (2 * unit[:, 2:] - 1)
        flip = torch.where(torch.rand((batch, 1), generator=generator, device=device) < 0.5, -1.0, 1.0)
        axis = (torch.arange(size, device=device) * 2 + 1) / size - 1
        x = flip * extent[:, :1] * axis + centre[:, :1]  # (B, S)
        y = extent[:, 1:] * axis + centre[:, 1:]
        grid = torch.stack([x[:, None, :].expand(-1, size, -1), y[:, :, None].expand(-1, -1, size)], dim=-1)
        return sample(sources, grid)

    def capture(self, clean: Tensor, generator: torch.Generator, box: Box | None = None) -> Tensor:
        shape, settings = tuple(clean.shape), self.settings
        waves = self.moire.sample(shape, generator, self.chance(settings.moire_share, clean, generator))
        shown = self.moire(clean, waves)
        photo = place(shown, draw_placement(len(clean), generator, settings.placement), shape[-1], box)
        photo = self.occlude(photo, generator)
        photo = fade(photo, settings.fade_share, generator)
        photo = haze(photo, settings.haze_share, generator)
        photo = shine(photo, settings.glare_share, generator)
        photo = coarsen(photo, settings.coarse_share, generator)
        for module in (self.photometric, self.filtering, self.additive, self.compression):
            share = settings.noise_share if module is self.additive else 1 - settings.plain_share
            photo = module(photo, module.sample(shape, generator, self.chance(share, photo, generator)))
        return look_through(photo, draw_window(len(photo), settings.partial_share, generator))

    def chance(self, share: float, like: Tensor, generator: torch.Generator) -> Tensor:
        """Strengths (B,): zero for most pictures beyond the share, uniform for the others."""
        unit = torch.rand((2, len(like)), generator=generator, device=like.device)
        return unit[0] * (unit[1] < share)

    def occlude(self, photo: Tensor, generator: torch.Generator) -> Tensor:
        """Something in front of a corner or an edge: a finger, a sticker, a caption bar."""
        batch, size = len(photo), photo.shape[-1]
        unit = torch.rand((batch, 9), generator=generator, device=photo.device)
        axis = (torch.arange(size, device=photo.device) * 2 + 1) / size - 1
        wide = torch.where(unit[:, 0] < 0.3, 2.0, 0.15 + 0.3 * unit[:, 1])  # a bar or a patch
        tall = 0.08 + 0.25 * unit[:, 2]
        across = ((axis[None] - (2 * unit[:, 3:4] - 1)).abs() < wide[:, None])[:, None, None, :]
        along = ((axis[None] - (2 * unit[:, 4:5] - 1)).abs() < tall[:, None])[:, None, :, None]
        hidden = across & along & (unit[:, 5] < self.settings.occluder_share)[:, None, None, None]
        return torch.where(hidden, unit[:, 6:9, None, None].expand_as(photo), photo)
