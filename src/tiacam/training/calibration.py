"""Statistics of the features of many pictures: the axes, the whitening, and how alike unrelated pictures are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tiacam.model import Whitening

# Where the tail of unrelated cosines is matched: as far out as some hundred pairs of ten thousand pictures reach.
NULL_TAIL = 1e-5

Features = NDArray[np.float32]


@dataclass(frozen=True)
class Axes:
    """Principal axes of raw features, most variance first."""

    directions: Features  # (D, d)

    @classmethod
    def of(cls, features: Features, width: int) -> Axes:
        centred = features - features.mean(axis=0)
        covariance = centred.T @ centred / len(features)
        _, vectors = np.linalg.eigh(covariance.astype(np.float64))
        return cls(np.ascontiguousarray(vectors[:, ::-1][:, :width], np.float32))


@dataclass(frozen=True)
class Null:
    """How alike unrelated pictures are: a random direction in so many dimensions, and how that was measured."""

    dimensions: float
    evidence: Mapping[str, Any]


def measure_whitening(features: Features) -> Whitening:
    """What makes the variance of every axis of raw features (N, D) the same."""
    return Whitening(features.mean(axis=0), np.asarray(1 / features.std(axis=0), np.float32))


def match_null(registered: Features, shown: Features, source: str) -> Null:
    """The null of `tiacam.watermark.Decision`, from unit features (N, D) of pictures as registered and as shown.

    It is measured on pictures that training never saw, because training keeps its own pictures apart better than
    others: a random direction in as many dimensions as give the cosine that one in 100,000 pairs of different
    pictures exceeds. Matching that far out, instead of the variance, leaves room for the heavier tail of real pictures.
    """
    cosines = pair_cosines(registered, shown)
    quantile = float(np.quantile(cosines, 1 - NULL_TAIL))
    dimensions = (NormalDist().inv_cdf(1 - NULL_TAIL) / quantile) ** 2
    evidence = {
        "source": source,
        "pictures": len(shown),
        "pairs": len(cosines),
        "matched_at": NULL_TAIL,
        "mean": round(float(cosines.mean()), 5),
        "quantiles": {
            f"{p:g}": round(float(np.quantile(cosines, 1 - p)), 4) for p in (1e-3, 1e-4, 1e-5, 1e-6)
        },
        "largest": round(float(cosines.max()), 4),
        "dimensions_by_variance": round(float(1 / cosines.var()), 1),
    }
    return Null(round(dimensions, 1), evidence)


def pair_cosines(registered: Features, shown: Features) -> Features:
    """Cosines of all pairs of different pictures, one of them registered and the other one shown."""
    return (registered @ shown.T)[np.triu_indices(len(shown), 1)]
