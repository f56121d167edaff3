"""Training photos for the locator: scenes with known corners, then the camera's operators of `augment`."""

from __future__ import annotations

from dataclasses import dataclass, field

import torch
from torch import Tensor, nn

from tiacam.augment import Additive, Compression, Filtering, Moire, Photometric
from tiacam.features.locator import STRIDE
from tiacam.training.locator_losses import CellTargets
from tiacam.training.locator_poses import Dice
from tiacam.training.locator_render import Paint, draw_layer, frame_points, render
from tiacam.training.locator_scenes import Scenes, SceneSettings, draw_scenes
from tiacam.training.locator_targets import make_targets

RARE_IMPULSES = 0.001  # dead pixels are few in photos


@dataclass(frozen=True)
class PhotoSettings:
    """Shares are probabilities of the camera's effects; strengths are drawn up to one."""

    scenes: SceneSettings = field(default_factory=SceneSettings)
    moire: float = 0.2
    glare: float = 0.4
    photometric: float = 0.8
    filtering: float = 0.6
    additive: float = 0.3
    compression: float = 0.3


@dataclass(frozen=True)
class LabelledPhotos:
    photos: Tensor  # (B, 3, S, S)
    targets: CellTargets
    scenes: Scenes


class PhotoMaker(nn.Module):
    """Pictures (N, 3, H, W) in [0, 1] → photos of some of them, with the truth."""

    def __init__(self, settings: PhotoSettings | None = None, compiled: bool = False) -> None:
        super().__init__()
        self.settings = settings or PhotoSettings()
        self.paint: Paint = torch.compile(draw_layer, dynamic=False) if compiled else draw_layer
        self.moire, self.photometric = Moire(), Photometric()
        self.filtering, self.additive, self.compression = Filtering(), Additive(), Compression()
        for module in (self.moire, self.photometric, self.filtering, self.additive, self.compression):
            for learnable in module.ranges().values():
                learnable.open_()
        self.additive.impulses.fix_(RARE_IMPULSES)
        self.requires_grad_(False)

    @torch.no_grad()
    def forward(self, pictures: Tensor, batch: int, size: int, generator: torch.Generator) -> LabelledPhotos:
        scenes = draw_scenes(batch, len(pictures), generator, self.settings.scenes)
        displayed = self.distort("moire", pictures, generator)
        rendered = render(displayed, scenes, size, self.paint)
        targets = make_targets(scenes, rendered.shown, size // STRIDE)
        photos = shine(rendered.photos, self.settings.glare, generator)
        for name in ("photometric", "filtering", "additive", "compression"):
            photos = self.distort(name, photos, generator)
        return LabelledPhotos(photos, targets, scenes)

    def distort(self, name: str, images: Tensor, generator: torch.Generator) -> Tensor:
        """One effect on its share of the images, each at a strength of its own."""
        module, count = getattr(self, name), round(getattr(self.settings, name) * len(images))
        order = torch.randperm(len(images), generator=generator, device=images.device)
        chosen, strength = order[:count], Dice(generator).uniform(count)
        params = module.sample((count, *images.shape[1:]), generator, strength)
        return images.index_copy(0, chosen, module(images[chosen], params))


def shine(photos: Tensor, share: float, generator: torch.Generator) -> Tensor:
    """A lamp's reflection: a bright blot of some size and direction, or a veil."""
    batch, dice = len(photos), Dice(generator)
    x, y, _ = frame_points(photos.shape[-1], photos.device)
    angle, centre = 3.2 * dice.signed(batch, 1, 1), dice.signed(batch, 2, 1, 1)
    dx, dy = x - centre[:, 0], y - centre[:, 1]
    along = (dx * angle.cos() + dy * angle.sin()) / (0.05 + 0.9 * dice.uniform(batch, 1, 1) ** 2)
    across = (dy * angle.cos() - dx * angle.sin()) / (0.05 + 0.4 * dice.uniform(batch, 1, 1) ** 2)
    spot = torch.exp(-(along**2) - across**2)  # (B, S, S)
    amount = dice.uniform(batch, 1, 1) * dice.happens(share, batch, 1, 1)
    return torch.lerp(photos, torch.ones_like(photos), (amount * spot)[:, None])
