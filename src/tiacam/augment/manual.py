"""The manual augmentor of the S3 ablation: hand-made distortions of fixed severity, nothing learned."""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import Self

from .augmentor import AutoAugmentor

# Module, quantity and its fixed value, chosen once by eye as a moderate capture of each kind. Quantities
# without effect in the closed forms (the networks' own) are not listed.
SETTINGS: Mapping[tuple[str, str], float] = MappingProxyType(
    {
        ("moire", "amplitude"): 0.06,
        ("moire", "frequency"): 0.1,
        ("moire", "colour_shift"): 0.15,
        ("perspective", "tilt"): math.radians(12),
        ("perspective", "roll"): math.radians(8),
        ("perspective", "zoom"): -0.05,
        ("perspective", "shift"): 0.05,
        ("photometric", "contrast"): 0.85,
        ("photometric", "gamma"): math.log(1.25),
        ("photometric", "brightness"): 0.06,
        ("photometric", "cast"): 0.05,
        ("additive", "deviation"): 0.03,
        ("additive", "impulses"): 0.003,
        ("filtering", "focus"): 0.7,
        ("filtering", "motion"): 1.5,
        ("compression", "quality"): 60.0,
    }
)


class ManualAugmentor(AutoAugmentor):
    """The six closed forms at fixed severities; only signs, phases and noise are random."""

    @classmethod
    def build(cls, width: int | None = None) -> Self:
        """The hand-made set; it has no networks, so a width other than None is refused."""
        if width is not None:
            raise ValueError(f"the manual augmentor has no networks, got width {width}")
        augmentor = super().build(None)
        for (module, quantity), value in SETTINGS.items():
            augmentor.distortion(module).ranges()[quantity].fix_(value)
        augmentor.requires_grad_(False)
        return augmentor

    def project_(self) -> None:
        """Nothing moves, so nothing is brought back."""
