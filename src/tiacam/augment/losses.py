"""The two terms of Eq. 4 as pure functions."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor
from torch.nn import functional


def invariance_loss(distorted: Tensor, original: Tensor) -> Tensor:
    """L_inv(F', F) = 1 - cos(F', F) of Eq. 4, averaged over the batch; features (B, n)."""
    return (1 - functional.cosine_similarity(distorted, original, dim=1)).mean()


def semantic_loss(original: Sequence[Tensor], distorted: Sequence[Tensor]) -> Tensor:
    """L_sem(x, x̂) = Σ_i (1 - cos(E_i(x), E_i(x̂))) of Eq. 4, a feature (B, ...) for each layer."""
    layers = [
        invariance_loss(after.flatten(1), before.flatten(1))
        for before, after in zip(original, distorted, strict=True)
    ]
    return torch.stack(layers).sum()


def augmentor_objective(invariance: Tensor, semantic: Tensor, semantic_weight: float) -> Tensor:
    """L_inv - λ_sem·L_sem of Eq. 4, which the augmentor maximises."""
    return invariance - semantic_weight * semantic
