"""A page under a lamp: light that falls off, comes from a side and has a spot, then a camera's rendering."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from .pixels import centred_grid, column, to_bytes, to_unit

SPOT_RADIUS = 0.35  # of half a side, as one standard deviation


def relight(pixels: NDArray[np.uint8], drawn: Mapping[str, NDArray[np.float32]]) -> NDArray[np.uint8]:
    """α·(x·light)^γ + β with one light for each picture."""
    height, width = pixels.shape[1:3]
    lit = to_unit(pixels) * light_field(drawn, height, width)[..., None]
    contrast, gamma, brightness = (
        drawn[name][:, None, None, :] for name in ("contrast", "gamma", "brightness")
    )
    return to_bytes(contrast * lit**gamma + brightness)


def light_field(drawn: Mapping[str, NDArray[np.float32]], height: int, width: int) -> NDArray[np.float32]:
    """How much light each point gets (N, H, W); 1 is even light."""
    v, u = centred_grid(height, width)
    vignette, slope_x, slope_y, spot, spot_x, spot_y = (
        column(drawn[name], 3) for name in ("vignette", "slope_x", "slope_y", "spot", "spot_x", "spot_y")
    )
    corner = (u**2 + v**2) / 2
    distance = (u - spot_x) ** 2 + (v - spot_y) ** 2
    lamp = 1 + spot * np.exp(-distance / np.float32(2 * SPOT_RADIUS**2))
    return np.asarray((1 - vignette * corner) * (1 + slope_x * u + slope_y * v) * lamp, np.float32)
