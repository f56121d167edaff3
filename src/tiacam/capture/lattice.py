"""Periodic structures seen through optics and sampled by a sensor: where moiré comes from.

A display's sub-pixels and a print's halftone dots repeat, so each is a sum of waves over the surface. The lens and the
pixel's own area weaken every wave by the transfer function at its local frequency; whatever survives is then taken at
the sensor's points, and folds down to a coarse pattern when it is finer than they are. Nothing is painted on.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tiacam.capture.geometry import SurfaceMap
from tiacam.capture.kinds import Field

INVISIBLE = 0.002  # a wave that keeps less than this anywhere is not evaluated


@dataclass(frozen=True)
class Blur:
    """What light passes before a sensor pixel adds it up; lengths in sensor pixels."""

    sigma: float
    motion_x: float = 0.0
    motion_y: float = 0.0

    def transfer(self, right: NDArray[np.float64], down: NDArray[np.float64]) -> NDArray[np.float64]:
        """What is left of a wave with these cycles a pixel, the pixel's own square aperture included."""
        optics = np.exp(-2 * (np.pi * self.sigma) ** 2 * (right**2 + down**2))
        motion = np.sinc(right * self.motion_x + down * self.motion_y)
        return np.asarray(optics * motion * np.sinc(right) * np.sinc(down))


@dataclass(frozen=True)
class Wave:
    """One component of a periodic structure: cycles per surface unit and complex weight of each colour or ink."""

    frequency: tuple[float, float]
    weights: tuple[complex, ...]


def local_frequency(wave: Wave, surface: SurfaceMap) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Cycles per sensor pixel, to the right and down, on the coarse grid of the map."""
    right, down = surface.steps()
    return right @ np.array(wave.frequency), down @ np.array(wave.frequency)


def survives(wave: Wave, surface: SurfaceMap, blur: Blur) -> bool:
    """Whether any of the wave reaches the sensor."""
    weight = max(abs(w) for w in wave.weights)
    return bool(np.abs(blur.transfer(*local_frequency(wave, surface))).max() * weight > INVISIBLE)


def sample(wave: Wave, surface: SurfaceMap, blur: Blur) -> tuple[Field, Field]:
    """Cosine and sine of the wave at every sensor point, each weakened by the blur: two fields (H, W)."""
    kept = surface.refine(blur.transfer(*local_frequency(wave, surface)))
    angle = surface.x * np.float32(wave.frequency[0]) + surface.y * np.float32(wave.frequency[1])
    angle -= np.floor(angle)
    angle *= np.float32(2 * np.pi)
    return np.cos(angle) * kept, np.sin(angle) * kept


def modulation(waves: list[Wave], surface: SurfaceMap, blur: Blur, colours: int) -> Field | None:
    """Relative deviation from the mean that the waves cause at every sensor point (H, W, colours), if any."""
    seen = [wave for wave in waves if survives(wave, surface, blur)]
    if not seen:
        return None
    total = np.zeros((*surface.x.shape, colours), np.float32)
    for wave in seen:
        cosine, sine = sample(wave, surface, blur)
        for colour, weight in enumerate(wave.weights):
            if weight:
                total[..., colour] += np.float32(2 * weight.real) * cosine
                total[..., colour] -= np.float32(2 * weight.imag) * sine
    return total
