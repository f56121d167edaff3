"""The losses of the self-supervised baselines, pure functions of the projections (B, D) of two views."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional

from tiacam.training.contrast import instance_loss

TEMPERATURE = 0.1  # SimCLR's
REDUNDANCY = 5e-3  # Barlow Twins' λ
SMALLEST_VARIANCE = 1e-4


def simclr_loss(first: Tensor, second: Tensor, temperature: float = TEMPERATURE) -> Tensor:
    """NT-Xent (Chen et al. 2020): every view finds its partner among all the others."""
    return instance_loss(functional.normalize(first), functional.normalize(second), temperature)


def byol_loss(prediction: Tensor, target: Tensor) -> Tensor:
    """2 - 2 cos between what the online network predicts and the target network's projection (Grill et al. 2020)."""
    cosine = (functional.normalize(prediction) * functional.normalize(target)).sum(1)
    return (2 - 2 * cosine).mean()


def barlow_loss(first: Tensor, second: Tensor, redundancy: float = REDUNDANCY) -> Tensor:
    """Σ (1 - C_ii)² + λ Σ C_ij² of the views' cross-correlation C (Zbontar et al. 2021)."""
    correlation = standardise(first).T @ standardise(second) / len(first)  # (D, D)
    diagonal = torch.diagonal(correlation)
    rest = (correlation**2).sum() - (diagonal**2).sum()
    return ((1 - diagonal) ** 2).sum() + redundancy * rest


def vicreg_loss(first: Tensor, second: Tensor) -> Tensor:
    """25 · invariance + 25 · variance + 1 · covariance (Bardes et al. 2021)."""
    spread = variance_term(first) + variance_term(second)
    covariance = off_diagonal(covariance_of(first)) + off_diagonal(covariance_of(second))
    return 25 * functional.mse_loss(first, second) + 25 * spread / 2 + covariance / first.shape[1]


def vibcreg_loss(first: Tensor, second: Tensor) -> Tensor:
    """VICReg on correlations instead of covariances, so that the weights hold for any width (Lee & Aune 2021)."""
    width = first.shape[1]
    spread = variance_term(first) + variance_term(second)
    correlation = off_diagonal(correlation_of(first)) + off_diagonal(correlation_of(second))
    return (
        25 * functional.mse_loss(first, second)
        + 25 * spread / 2
        + 200 * correlation / (2 * width * (width - 1))
    )


def variance_term(projection: Tensor) -> Tensor:
    """How far each coordinate's deviation over the batch is under 1, on average."""
    deviation = torch.sqrt(projection.var(dim=0) + SMALLEST_VARIANCE)
    return functional.relu(1 - deviation).mean()


def covariance_of(projection: Tensor) -> Tensor:
    """(D, D) over the batch."""
    centred = projection - projection.mean(dim=0)
    return centred.T @ centred / (len(projection) - 1)


def correlation_of(projection: Tensor) -> Tensor:
    """(D, D) over the batch."""
    return standardise(projection).T @ standardise(projection) / len(projection)


def off_diagonal(matrix: Tensor) -> Tensor:
    """Sum of the squares beside the diagonal."""
    return (matrix**2).sum() - (torch.diagonal(matrix) ** 2).sum()


def standardise(projection: Tensor) -> Tensor:
    """Each coordinate of mean 0 and deviation 1 over the batch."""
    centred = projection - projection.mean(dim=0)
    return centred / torch.sqrt((centred**2).mean(dim=0) + 1e-6)


def whiten_iteratively(projection: Tensor, group: int = 64, iterations: int = 5) -> Tensor:
    """Σ^-½ by Newton's iteration in groups of coordinates: VIbCReg's last layer (IterNorm, Huang et al. 2019)."""
    batch, width = projection.shape
    centred = (projection - projection.mean(dim=0)).unflatten(1, (width // group, group)).transpose(0, 1)
    identity = torch.eye(group, device=projection.device)
    covariance = centred.mT @ centred / batch + 1e-5 * identity  # (G, group, group)
    trace = covariance.diagonal(dim1=1, dim2=2).sum(1)[:, None, None]
    scaled, root = covariance / trace, identity.expand_as(covariance)
    for _ in range(iterations):
        root = 1.5 * root - 0.5 * root @ root @ root @ scaled
    whitened: Tensor = (centred @ (root / trace.sqrt())).transpose(0, 1).reshape(batch, width)
    return whitened
