"""The settings of a run of the backbone's training, and its length where a time is given instead of steps."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, replace


@dataclass(frozen=True)
class AnchorSettings:
    """One run. `sizes` are (share of the steps done, picture size): later steps see more pixels."""

    steps: int = 4000
    batch: int = 1024
    rate: float = 1e-3
    warm_up: int = 200
    decay: float = 0.03
    temperature: float = 0.06
    invariance: float = 0.5
    redundancy: float = 1.0
    decorrelation: float = 0.05  # of the redundancy term: how much correlated axes cost
    spreading: float = 0.5
    apart: float = 0.0
    margin: float = 0.15  # cosine from which on other pictures are too near
    caption: float = 0.1
    whitened: int = 0  # axes in which contrast and invariance are measured; 0 for the plain features
    textures: int = 8000  # made pictures of nothing but texture, beside the photos
    sprites: int = 2048  # overlays of lettering
    poster_share: float = 0.3  # pictures that get one
    templates: int = 24  # overlays in one batch: different pictures share them, so that they tell nothing
    average: float = 0.999  # of the weights that are kept
    sizes: tuple[tuple[float, int], ...] = ((0.0, 160), (0.75, 224))
    mine_every: int = 500
    frozen: int = 0  # stages at the front, with the stem, that learn no more: they cost most and change least
    group: int = 32  # alike pictures that come into a batch together
    log_every: int = 25
    save_every: int = 500
    seed: int = 0
    compiled: bool = True

    def size_at(self, step: int) -> int:
        return [size for share, size in self.sizes if step >= share * self.steps][-1]

    def rate_at(self, step: int) -> float:
        if step < self.warm_up:
            return self.rate * (step + 1) / self.warm_up
        progress = (step - self.warm_up) / max(1, self.steps - self.warm_up)
        return self.rate * (0.01 + 0.99 * (1 + math.cos(math.pi * progress)) / 2)


class Pace:
    """Turns a time to stop at into a number of steps, from the speed of the last steps."""

    def __init__(self, until: float | None) -> None:
        self.until = until
        self._marks: list[tuple[int, float]] = []  # (step, clock)

    def plan(self, settings: AnchorSettings, step: int) -> AnchorSettings:
        if self.until is None or step % settings.log_every:
            return settings
        self._marks = [*self._marks[-8:], (step, time.time())]
        (first, began), (last, now) = self._marks[0], self._marks[-1]
        if last == first:
            return settings
        left = (self.until - now) * (last - first) / (now - began)
        return replace(settings, steps=step + max(1, int(left)))
