"""Losses of the backbone: pictures against their captures, pictures against captions, and features kept apart.

Each is a pure function of unit vectors (B, D), one row a picture.
"""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional


def instance_loss(clean: Tensor, captured: Tensor, temperature: float) -> Tensor:
    """NT-Xent: each capture must find its picture among all other pictures and captures, and the other way round."""
    both = torch.cat([clean, captured])  # (2B, D)
    logits = both @ both.T / temperature
    logits.fill_diagonal_(float("-inf"))
    count = len(clean)
    partner = torch.arange(2 * count, device=clean.device).roll(count)
    return functional.cross_entropy(logits, partner)


def invariance_loss(clean: Tensor, captured: Tensor) -> Tensor:
    """L_inv = 1 - cos: the contrast is satisfied long before a capture's feature is near its picture's."""
    return (1 - (clean * captured).sum(dim=1)).mean()


def redundancy_loss(clean: Tensor, captured: Tensor, decorrelation: float) -> Tensor:
    """Barlow Twins on whitened axes: each axis agrees between picture and capture, and no two axes say the same.

    The mean of the diagonal is the genuine cosine of whitened features, which is what keyed directions read.
    """
    count, width = clean.shape
    both = torch.cat([clean, captured])
    centred = (both - both.mean(dim=0)) / (both.std(dim=0) + 1e-6)
    correlation = centred[:count].T @ centred[count:] / count  # (D, D)
    diagonal = torch.diagonal(correlation)
    off = correlation.square().sum() - diagonal.square().sum()
    return ((1 - diagonal).square().sum() + decorrelation * off) / width


def spreading_loss(features: Tensor) -> Tensor:
    """KoLeo: minus the mean log distance to the nearest other picture, so that features use the whole sphere."""
    with torch.no_grad():
        cosines = features @ features.T
        cosines.fill_diagonal_(-1.0)
        nearest = cosines.argmax(dim=1)
    distance = (features - features[nearest]).norm(dim=1)
    return -torch.log(distance + 1e-6).mean()


def apart_loss(clean: Tensor, captured: Tensor, margin: float) -> Tensor:
    """What other pictures and their captures have beyond `margin` with each picture, squared and summed.

    The contrast weighs negatives against the positive and is soon content; a claim asks how near the nearest of
    millions comes, whatever the positive is.
    """
    cosines = clean @ torch.cat([clean, captured]).T  # (B, 2B)
    own = torch.eye(len(clean), dtype=torch.bool, device=clean.device).repeat(1, 2)
    beyond = (cosines - margin).clamp_min(0.0).masked_fill(own, 0.0)
    return beyond.square().sum(dim=1).mean()


def caption_loss(images: Tensor, texts: Tensor, scale: Tensor) -> Tensor:
    """The CLIP loss: each picture finds its caption among the others, and each caption its picture."""
    logits = scale * images @ texts.T
    target = torch.arange(len(images), device=images.device)
    return (functional.cross_entropy(logits, target) + functional.cross_entropy(logits.T, target)) / 2
