"""What the text-anchored stage trains on: pictures with captions, all on the device, and the batches of each step."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from tiacam.augment import AutoAugmentor
from tiacam.features.dual import DualEncoder
from tiacam.training.negatives import Anchors
from tiacam.training.parallel import Team
from tiacam.training.pretraining import mixed_precision
from tiacam.training.seeds import torch_generator
from tiacam.training.tiacam_game import Batch

PASS = 512  # pictures that are embedded at once


@dataclass(frozen=True)
class Pool:
    """Pictures as bytes (N, H, W, 3), the frozen encoder's embeddings of them (N, D), and their captions."""

    pixels: Tensor
    embeddings: Tensor
    anchors: Anchors

    def __len__(self) -> int:
        return len(self.pixels)

    def pictures(self, chosen: Tensor) -> Tensor:
        """Some of them as (B, 3, H, W) in [0, 1]."""
        return as_pictures(self.pixels[chosen])


@dataclass(frozen=True)
class Dealer:
    """Deals the batch of each step; what it deals follows from the seed, the step and the process alone."""

    pool: Pool
    encoder: DualEncoder
    batch: int  # of one process
    seed: int
    team: Team = field(default_factory=Team)

    def choose(self, step: int) -> Tensor:
        """The pictures of a step: every epoch is a new order, of which each process takes its own part."""
        size = min(self.batch, len(self.pool) // self.team.world)
        per_epoch = len(self.pool) // (size * self.team.world)
        epoch, place = divmod(step, per_epoch)
        order = torch.randperm(len(self.pool), generator=torch_generator(self.seed, "order", epoch))
        start = (place * self.team.world + self.team.rank) * size
        return order[start : start + size].to(self.pool.pixels.device)

    def generator(self, step: int) -> torch.Generator:
        """All that is random in a step of this process."""
        return torch_generator(self.seed, "step", step, self.team.rank, device=self.pool.pixels.device)

    @torch.no_grad()
    def deal(self, step: int, augmentor: AutoAugmentor, generator: torch.Generator) -> Batch:
        chosen = self.choose(step)
        pictures = self.pool.pictures(chosen)
        with mixed_precision(pictures.device):
            distorted = augmentor.distort(pictures, augmentor.sample(pictures.shape, generator))
            embedded = self.encoder.embed_images(distorted.contiguous(memory_format=torch.channels_last))
        positive, negative = self.pool.anchors.choose(chosen, generator)
        return Batch(pictures, self.pool.embeddings[chosen], embedded.float(), positive, negative)


def build_pool(
    pixels: NDArray[np.uint8], anchors: Anchors, encoder: DualEncoder, device: torch.device
) -> Pool:
    """Pictures to the device and through the encoder, once for the whole run: it is frozen."""
    held = torch.from_numpy(pixels).to(device)
    return Pool(held, embed_pixels(encoder, held), anchors)


@torch.no_grad()
def embed_pixels(encoder: DualEncoder, pixels: Tensor) -> Tensor:
    """Embeddings (N, D) of bytes (N, H, W, 3), in full precision: they are made once."""
    parts = (as_pictures(part).contiguous(memory_format=torch.channels_last) for part in pixels.split(PASS))
    return torch.cat([encoder.embed_images(pictures) for pictures in parts])


def as_pictures(pixels: Tensor) -> Tensor:
    """Bytes (B, H, W, 3) → (B, 3, H, W) in [0, 1]."""
    return pixels.permute(0, 3, 1, 2).float().div(255)
