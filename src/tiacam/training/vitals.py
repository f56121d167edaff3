"""Whether a run is alive: genuine and impostor cosine, discriminator accuracy, effective rank; and when it is not."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass

import torch
from torch import Tensor
from torch.nn import functional

from tiacam.errors import TrainingError
from tiacam.features.discriminator import REAL

PAIRS = 512  # pictures whose cosines with each other are looked at


@dataclass(frozen=True)
class Vitals:
    """One log line's account of the features."""

    genuine: float  # mean cosine of a picture with its distorted self
    impostor: float  # mean cosine of different pictures
    impostor_high: float  # its 99.9th percentile
    accuracy: float  # share of pairs that the discriminator tells right; 0.5 is guessing
    rank: float  # directions in use

    def as_row(self) -> dict[str, float]:
        return asdict(self)


@dataclass(frozen=True)
class Alarm:
    """What counts as a collapse, once the first `grace` steps are over."""

    least_rank: float = 4.0
    most_impostor: float = 0.9
    grace: int = 100

    def check(self, step: int, vitals: Vitals, losses: dict[str, float]) -> None:
        """Stop the run with a message when its features are worth nothing any more."""
        wrong = [name for name, value in losses.items() if not math.isfinite(value)]
        if wrong:
            raise TrainingError(f"step {step}: {', '.join(wrong)} is no number any more; lower the rate")
        if step < self.grace:
            return
        if not vitals.rank >= self.least_rank:
            raise TrainingError(
                f"step {step}: the features collapsed to {vitals.rank:.1f} directions, fewer than {self.least_rank:g}"
            )
        if not vitals.impostor <= self.most_impostor:
            raise TrainingError(
                f"step {step}: the features collapsed: different pictures have a mean cosine of"
                f" {vitals.impostor:.3f}, more than {self.most_impostor:g}"
            )


@torch.no_grad()
def take_vitals(clean: Tensor, distorted: Tensor, accuracy: float) -> Vitals:
    """From features (B, D) of pictures and of their distorted selves."""
    clean, distorted = functional.normalize(clean.float()), functional.normalize(distorted.float())
    some = clean[:PAIRS]
    apart = ~torch.eye(len(some), dtype=torch.bool, device=some.device)
    cosines = (some @ some.T)[apart]
    return Vitals(
        genuine=(clean * distorted).sum(1).mean().item(),
        impostor=cosines.mean().item(),
        impostor_high=torch.quantile(cosines, 0.999).item(),
        accuracy=accuracy,
        rank=effective_rank(clean),
    )


def effective_rank(features: Tensor) -> float:
    """exp of the entropy of the covariance's spectrum, of features (B, D)."""
    centred = (features - features.mean(dim=0)).double()
    tall = len(centred) > centred.shape[1]
    products = centred.T @ centred if tall else centred @ centred.T  # either has the covariance's spectrum
    spectrum = torch.linalg.eigvalsh(products).clamp_min(0)
    total = spectrum.sum()
    if not total > 0:
        return 0.0 if torch.isfinite(total) else math.nan
    share = spectrum / total
    return torch.exp(-(share * torch.log(share.clamp_min(1e-12))).sum()).item()


def pair_accuracy(matches: Tensor, mismatches: Tensor) -> float:
    """Share of logits (B, 2) that are on the right side."""
    right = (matches.argmax(1) == REAL).float().mean() + (mismatches.argmax(1) != REAL).float().mean()
    return float(right / 2)
