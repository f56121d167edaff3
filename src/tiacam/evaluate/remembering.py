"""A model that remembers: the same photo is read against many registries, and its features are computed once."""

from __future__ import annotations

from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from tiacam.model import FeatureModel


class RememberingModel(FeatureModel):
    """Gives what the model gives, without computing it again for pixels that it has seen."""

    def __init__(self, model: FeatureModel) -> None:
        super().__init__(model.card, model._session)
        self._seen: dict[bytes, NDArray[np.float32]] = {}

    def forget(self) -> None:
        """Before something is timed."""
        self._seen.clear()

    def extract(self, pixels: NDArray[np.uint8]) -> NDArray[np.float32]:
        keys = [blake2b(square.tobytes(), digest_size=16).digest() for square in pixels]
        fresh = [row for row, key in enumerate(keys) if key not in self._seen]
        if fresh:
            computed = super().extract(pixels[fresh])
            self._seen.update((keys[row], feature) for row, feature in zip(fresh, computed, strict=True))
        found = [self._seen[key] for key in keys]
        return np.stack(found) if found else np.empty((0, self.card.feature_width), np.float32)
