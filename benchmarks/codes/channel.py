"""The channel the keyed head sees: a registered feature, a probe at a given cosine, signs and stored magnitudes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri
from scipy.stats import norm

Floats = NDArray[np.float64]
Bits = NDArray[np.uint8]

SIGNS_ONLY = 1
UNQUANTISED = 0


@dataclass(frozen=True)
class Draw:
    """Registered features and probes of them, one trial a row."""

    registered: Floats  # (T, n)
    probe: Floats  # (T, n)


def draw(rng: np.random.Generator, trials: int, n: int, cosine: float) -> Draw:
    """Draw whitened features and probes whose coordinates have correlation `cosine` with them."""
    registered = rng.standard_normal((trials, n))
    noise = rng.standard_normal((trials, n))
    return Draw(registered, cosine * registered + np.sqrt(1 - cosine**2) * noise)


@lru_cache
def cell_edges(levels: int) -> tuple[float, ...]:
    """Boundaries of the equally likely cells of |x|, from 0 to infinity."""
    return tuple(float(v) for v in ndtri(0.5 + 0.5 * np.arange(levels + 1) / levels))


@lru_cache
def cell_means(levels: int) -> tuple[float, ...]:
    """Mean of |x| inside each equally likely cell."""
    density = norm.pdf(np.array(cell_edges(levels)))
    return tuple(float(v) for v in 2 * levels * (density[:-1] - density[1:]))


def weigh(registered: Floats, levels: int) -> Floats:
    """Return what is stored of |x|: the cell's mean, |x| itself, or 1 where only signs are kept."""
    if levels == UNQUANTISED:
        return np.abs(registered)
    cells = np.searchsorted(np.array(cell_edges(levels)[1:-1]), np.abs(registered))
    return np.array(cell_means(levels))[cells]


def soften(trial: Draw, codewords: Bits, levels: int) -> Floats:
    """Return the decoder's input, proportional to the log-likelihood ratio and free of the unknown cosine.

    Helper data is sign(x) XOR codeword; the probe times the stored magnitude, turned by the helper, votes for 0.
    """
    helper = (trial.registered < 0) ^ codewords.astype(bool)
    return weigh(trial.registered, levels) * trial.probe * (1.0 - 2.0 * helper)


def soften_exactly(trial: Draw, codewords: Bits, levels: int, cosine: float) -> Floats:
    """Return the true log-likelihood ratio, for a decoder that is told the cosine."""
    helper = (trial.registered < 0) ^ codewords.astype(bool)
    turned = trial.probe * (1.0 - 2.0 * helper)
    spread = np.sqrt(1 - cosine**2)
    if levels == UNQUANTISED:
        return 2 * cosine * np.abs(trial.registered) * turned / spread**2
    edges = np.array(cell_edges(levels))
    cells = np.searchsorted(edges[1:-1], np.abs(trial.registered))
    low, high = edges[cells], edges[cells + 1]
    return np.log(
        cell_mass(low, high, cosine * turned, spread) / cell_mass(low, high, -cosine * turned, spread)
    )


def cell_mass(low: Floats, high: Floats, mean: Floats, spread: float) -> Floats:
    """Probability that a normal value of the given mean lies in the cell, never quite zero."""
    return np.maximum(ndtr((high - mean) / spread) - ndtr((low - mean) / spread), 1e-300)
