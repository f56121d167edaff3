"""What the learner needs of a backbone: a frozen pair of encoders that put pictures and captions into one space."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import torch
from torch import Tensor, nn


@dataclass(frozen=True)
class Sight:
    """One pass of the image encoder: the joint embedding (B, D), and a feature (B, C_i) of each chosen layer."""

    embedding: Tensor
    layers: tuple[Tensor, ...]


class DualEncoder(nn.Module, ABC):
    """Frozen image and text encoders of one joint space.

    Pictures are (B, 3, H, W) in [0, 1]; each encoder brings its own preprocessing. Gradients pass through to the
    pictures, never to the parameters, and no statistics of batches move: `train()` leaves an encoder in
    evaluation mode. A layer's feature has no place in the picture left in it (its mean over space, or the class
    token), so that turning a picture does not by itself count as changing its meaning.
    """

    width: int  # of the joint space

    @abstractmethod
    def look(self, image: Tensor) -> Sight:
        """Embedding and layers of pictures, in one pass."""

    @abstractmethod
    def embed_texts(self, texts: Sequence[str]) -> Tensor:
        """Unit embeddings (B, D) of captions."""

    def embed_images(self, image: Tensor) -> Tensor:
        """Embeddings (B, D) of pictures as the encoder gives them, not normalised."""
        return self.look(image).embedding

    def freeze(self) -> Self:
        """No parameter asks for a gradient from now on."""
        self.requires_grad_(False)
        return self.eval()

    def train(self, mode: bool = True) -> Self:  # noqa: ARG002  # a frozen encoder has one mode
        return super().train(False)


@torch.no_grad()
def embed_in_batches(encoder: DualEncoder, texts: Sequence[str], batch: int = 256) -> Tensor:
    """Unit embeddings of many captions (N, D), short ones together, so that little is padded."""
    order = sorted(range(len(texts)), key=lambda index: len(texts[index]))
    parts = [
        encoder.embed_texts([texts[index] for index in order[start : start + batch]])
        for start in range(0, len(order), batch)
    ]
    embedded = torch.cat(parts)
    return embedded[torch.tensor(order, device=embedded.device).argsort()]
