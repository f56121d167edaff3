"""The text side of a backbone that stays as it is: a projection of sentence vectors to where their pictures are."""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional

from tiacam.features.anchor import TextProjection
from tiacam.progress import progress_bar
from tiacam.training.contrast import caption_loss


@dataclass(frozen=True)
class TextSettings:
    """One fit, by the CLIP loss on pictures whose embeddings are known."""

    steps: int = 4000
    batch: int = 1024
    rate: float = 1e-3
    decay: float = 0.1
    seed: int = 0

    def rate_at(self, step: int) -> float:
        return self.rate * (1 + math.cos(math.pi * step / self.steps)) / 2


@dataclass(frozen=True)
class Sentences:
    """Vectors (C, 384) of sentences; those of picture i are the rows first[i] to first[i] + count[i] - 1."""

    vectors: Tensor
    first: Tensor  # (N,)
    count: Tensor  # (N,) one or more

    def choose(self, pictures: Tensor, generator: torch.Generator) -> Tensor:
        """One sentence of each of some pictures (B, 384)."""
        drawn = (torch.rand(len(pictures), generator=generator) * self.count[pictures]).long()
        return self.vectors[self.first[pictures] + drawn].float()


def fit_text(images: Tensor, sentences: Sentences, settings: TextSettings | None = None) -> TextProjection:
    """The projection that puts sentences nearest to their pictures, whose embeddings (N, D) do not move."""
    settings = settings or TextSettings()
    generator = torch.Generator().manual_seed(settings.seed)
    torch.manual_seed(settings.seed)
    text = TextProjection(sentences.vectors.shape[1]).train()
    unit = functional.normalize(images)
    optimizer = torch.optim.AdamW(text.parameters(), lr=settings.rate, weight_decay=settings.decay)
    for step in progress_bar(range(settings.steps), desc="text side"):
        for group in optimizer.param_groups:
            group["lr"] = settings.rate_at(step)
        chosen = torch.randperm(len(unit), generator=generator)[: settings.batch]
        loss = caption_loss(unit[chosen], text(sentences.choose(chosen, generator)), text.scale)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return text.eval()
