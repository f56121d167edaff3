"""Batches of pictures that look alike: the negatives that a random batch does not have."""

from __future__ import annotations

import torch
from torch import Tensor

ROUNDS = 6
MEMBERS = 48  # pictures of a cluster, on average


@torch.no_grad()
def group_alike(features: Tensor, group: int, generator: torch.Generator) -> Tensor:
    """A random order of all pictures (N,) in which runs of `group` pictures are neighbours in feature space."""
    labels = cluster(features, max(1, len(features) // MEMBERS), generator)
    jitter = torch.rand(len(features), generator=generator, device=features.device)
    by_cluster = torch.argsort(labels.float() + 0.999 * jitter)  # clusters one after another, shuffled inside
    whole = len(by_cluster) // group * group
    runs = by_cluster[:whole].reshape(-1, group)
    shuffled = runs[torch.randperm(len(runs), generator=generator, device=features.device)]
    return torch.cat([shuffled.reshape(-1), by_cluster[whole:]])


def cluster(features: Tensor, count: int, generator: torch.Generator) -> Tensor:
    """Spherical k-means, a few rounds from random pictures: the nearest centre of each (N,)."""
    start = torch.randperm(len(features), generator=generator, device=features.device)[:count]
    centres = features[start]
    labels = torch.zeros(len(features), dtype=torch.long, device=features.device)
    for _ in range(ROUNDS):
        labels = torch.cat([(part @ centres.T).argmax(dim=1) for part in features.split(16384)])
        sums = torch.zeros_like(centres).index_add_(0, labels, features)
        centres = torch.nn.functional.normalize(sums + 1e-6 * centres)
    return labels
