"""f_θ of the paper: the frozen image encoder with the invariant feature extractor on top."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from tiacam.features.dual import DualEncoder, Sight
from tiacam.features.extractor import Extractor


class InvariantFeature(nn.Module):
    """Pictures (B, 3, H, W) → invariant features (B, 1024).

    The augmentor's step asks for the feature and for the encoder's layers of the same pictures, one after the
    other; the pass of the encoder, which is nearly all of the work, is made once for both.
    """

    def __init__(self, encoder: DualEncoder, extractor: Extractor) -> None:
        super().__init__()
        self.encoder, self.extractor = encoder, extractor
        self._last: tuple[Tensor, bool, Sight] | None = None

    def forward(self, image: Tensor) -> Tensor:
        feature: Tensor = self.extractor(self.look(image).embedding)
        return feature

    def layers(self, image: Tensor) -> tuple[Tensor, ...]:
        """E_i of Eq. 4."""
        return self.look(image).layers

    def look(self, image: Tensor) -> Sight:
        """The encoder's pass, kept until other pictures come."""
        graph = torch.is_grad_enabled()
        if self._last is None or self._last[0] is not image or self._last[1] != graph:
            self._last = (image, graph, self.encoder.look(image))
        return self._last[2]

    def forget(self) -> None:
        """Let the last pictures and their graph go."""
        self._last = None
