"""Finite-length limits: how many seed bits n coordinates can carry at a cosine, whatever the code and decoder.

Normal approximation for a memoryless symmetric channel: K = nC - sqrt(nV) Q^-1(error) + log2(n)/2, where C and V
are the mean and variance of the information density, here in bits per coordinate.

    python -m benchmarks.codes.limits
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from .channel import SIGNS_ONLY, UNQUANTISED, cell_edges, cell_mass

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Channel:
    """Capacity and dispersion of one coordinate, in bits and bits squared."""

    capacity: float
    dispersion: float


@lru_cache
def measure_channel(cosine: float, levels: int) -> Channel:
    """Integrate the information density of sign(x) given the probe and what is stored of |x|."""
    if levels == UNQUANTISED:
        return integrate_magnitudes(cosine)
    return integrate_cells(cosine, levels)


def integrate_magnitudes(cosine: float, points: int = 401) -> Channel:
    """Unquantised magnitudes: given |x| and x > 0 the probe is normal around c|x|."""
    spread = np.sqrt(1 - cosine**2)
    magnitude, by_magnitude = quadrature(0.0, 8.0, points)
    deviate, by_deviate = quadrature(-8.0, 8.0, points)
    probe = cosine * magnitude[:, None] + spread * deviate[None, :]
    weight = (
        2
        * by_magnitude[:, None]
        * by_deviate[None, :]
        * density(magnitude)[:, None]
        * density(deviate)[None, :]
    )
    return moments(2 * cosine * magnitude[:, None] * probe / spread**2, weight)


def integrate_cells(cosine: float, levels: int, points: int = 4001) -> Channel:
    """Magnitudes known only to a cell; one cell is the sign-only channel."""
    spread = float(np.sqrt(1 - cosine**2))
    probe, by_probe = quadrature(-8.0, 8.0, points)
    ratios, weights = [], []
    edges = cell_edges(levels)
    for low, high in itertools.pairwise(edges):
        right = cell_mass(np.array(low), np.array(high), cosine * probe, spread)
        wrong = cell_mass(np.array(low), np.array(high), -cosine * probe, spread)
        ratios.append(np.log(right / wrong))
        weights.append(2 * right * density(probe) * by_probe)
    return moments(np.stack(ratios), np.stack(weights))


def quadrature(low: float, high: float, points: int) -> tuple[Floats, Floats]:
    """Midpoint nodes and weights on an interval; the normal tails make the midpoint rule exact enough."""
    step = (high - low) / points
    return low + step * (np.arange(points) + 0.5), np.full(points, step)


def density(value: Floats) -> Floats:
    """Standard normal density."""
    return np.exp(-(value**2) / 2) / np.sqrt(2 * np.pi)


def moments(ratio: Floats, weight: Floats) -> Channel:
    """Mean and variance of the information density 1 - log2(1 + exp(-ratio)) under the right sign."""
    weight = weight / weight.sum()
    information = 1 - np.logaddexp(0.0, -ratio) / np.log(2)
    capacity = float((weight * information).sum())
    return Channel(capacity, float((weight * (information - capacity) ** 2).sum()))


def most_bits(n: int, cosine: float, levels: int, error: float) -> float:
    """Most seed bits that n coordinates carry at a block error rate."""
    channel = measure_channel(cosine, levels)
    spread = np.sqrt(n * channel.dispersion)
    return float(n * channel.capacity + spread * ndtri(error) + 0.5 * np.log2(n))


def least_error(n: int, bits: int, cosine: float, levels: int) -> float:
    """Least block error rate at which n coordinates carry a seed."""
    channel = measure_channel(cosine, levels)
    margin = n * channel.capacity + 0.5 * np.log2(n) - bits
    return float(ndtr(-margin / np.sqrt(n * channel.dispersion)))


def least_cosine(n: int, bits: int, levels: int, error: float = 0.01) -> float:
    """Least cosine at which n coordinates carry a seed at a block error rate, by bisection."""
    low, high = 0.02, 0.999
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (low, middle) if least_error(n, bits, middle, levels) < error else (middle, high)
    return high


def main() -> None:
    """Print the bits carried at 1% failure, and the least cosine for each seed length."""
    for n in (512, 256):
        for name, levels in (("signs", SIGNS_ONLY), ("4 levels", 4), ("magnitudes", UNQUANTISED)):
            carried = [
                f"{c:.2f}: {most_bits(n, c, levels, 0.01):.0f}" for c in (0.5, 0.55, 0.6, 0.65, 0.7, 0.8, 0.9)
            ]
            cosines = [f"K={k}: {least_cosine(n, k, levels):.3f}" for k in (40, 48, 56, 64)]
            print(f"n={n} {name:10s} bits at 1%: {', '.join(carried)}; least cosine: {', '.join(cosines)}")


if __name__ == "__main__":
    main()
