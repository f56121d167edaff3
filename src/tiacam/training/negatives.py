"""Hard negative captions: near in meaning to a picture's own, but written for another picture."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional

CHUNK = 2048  # captions compared with all others at once


@dataclass(frozen=True)
class MiningSettings:
    """`keep` candidates for each caption. Captions closer than `same` say the same thing: they are not wrong.

    `hard_share` of the negatives are mined, the others are captions of any other picture: against near misses
    alone, a discriminator that knows nothing yet learns nothing (decision 0006).
    """

    keep: int = 16
    same: float = 0.9
    hard_share: float = 0.5

    def __post_init__(self) -> None:
        if self.keep < 1 or not 0 < self.same <= 1 or not 0 <= self.hard_share <= 1:
            raise ValueError(f"at least one candidate, a cosine and a share up to one: {self}")


@torch.no_grad()
def mine_negatives(sentences: Tensor, owner: Tensor, settings: MiningSettings) -> Tensor:
    """For each caption the nearest wrong ones (C, keep), by the cosine of sentence vectors (C, D).

    `owner` (C,) is the picture that each caption belongs to. A caption without enough wrong neighbours below
    `same` gets its furthest ones in the remaining places, never one of its own picture's while another exists.
    """
    unit = functional.normalize(sentences.float())
    keep = min(settings.keep, len(unit))
    rows = []
    for start in range(0, len(unit), CHUNK):
        cosine = unit[start : start + CHUNK] @ unit.T  # (chunk, C)
        cosine = torch.where(cosine > settings.same, -2.0 - cosine, cosine)
        cosine[owner[start : start + CHUNK, None] == owner[None]] = -4.0
        rows.append(cosine.topk(keep, dim=1).indices)
    return torch.cat(rows)


@dataclass(frozen=True)
class Anchors:
    """Captions in the joint space: those of picture i are the rows first[i] ... first[i] + count[i] - 1."""

    embeddings: Tensor  # (C, D) unit, g_τ(T)
    first: Tensor  # (N,)
    count: Tensor  # (N,) at least 1
    negatives: Tensor  # (C, K) rows of wrong captions that are near in meaning
    hard_share: float = 1.0

    def choose(self, pictures: Tensor, generator: torch.Generator) -> tuple[Tensor, Tensor]:
        """E⁺ and E⁻ (B, D) of different pictures: a caption of each, and a hard negative or the next picture's."""
        unit = torch.rand((3, len(pictures)), generator=generator, device=generator.device)
        unit = unit.to(pictures.device)
        row = self.first[pictures] + (unit[0] * self.count[pictures]).long()
        column = (unit[1] * self.negatives.shape[1]).long()
        wrong = torch.where(unit[2] < self.hard_share, self.negatives[row, column], row.roll(1))
        return self.embeddings[row], self.embeddings[wrong]


def find_owners(first: Tensor, count: Tensor, captions: int) -> Tensor:
    """The picture of each caption (C,); -1 for captions whose picture is missing."""
    owner = torch.full((captions,), -1, dtype=torch.long, device=first.device)
    pictures = torch.repeat_interleave(torch.arange(len(first), device=first.device), count)
    starts = torch.repeat_interleave(first, count)
    place = torch.arange(len(pictures), device=first.device) - torch.repeat_interleave(
        count.cumsum(0) - count, count
    )
    owner[starts + place] = pictures
    return owner
