"""Moiré as a display and a sensor make it: stripes of light that beat against the pixels, in linear light."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from .pixels import centred_grid, column, to_bytes, to_unit

DISPLAY_GAMMA = 2.2
# A stripe lights a third of its pitch: relative to the beat's first harmonic, the second has half its size,
# of which a sensor's aperture passes about two thirds.
SECOND_HARMONIC = 0.33
# Modulation of the light for which mid-grey fringes have the drawn amplitude after the camera's encoding.
MODULATION = DISPLAY_GAMMA / 0.5


def interfere(pixels: NDArray[np.uint8], drawn: Mapping[str, NDArray[np.float32]]) -> NDArray[np.uint8]:
    """Photograph each picture from a display whose stripes beat against the sensor."""
    angle = np.float32(2 * np.pi) * cycles(drawn, *pixels.shape[1:3])  # (N, H, W, 3)
    beat = np.sin(angle) - np.float32(SECOND_HARMONIC) * np.cos(2 * angle)
    modulation = MODULATION * drawn["amplitude"][:, None, None, :]
    light = to_unit(pixels) ** DISPLAY_GAMMA * np.maximum(1 + modulation * beat, 0)
    return to_bytes(light ** np.float32(1 / DISPLAY_GAMMA))


def cycles(drawn: Mapping[str, NDArray[np.float32]], height: int, width: int) -> NDArray[np.float32]:
    """The beat's phase in cycles for each pixel and colour: a plane wave, bent towards the rim."""
    v, u = np.mgrid[:height, :width].astype(np.float32)
    rim_v, rim_u = centred_grid(height, width)
    plane = column(drawn["frequency_x"], 3) * u + column(drawn["frequency_y"], 3) * v
    bent = plane + column(drawn["bend"], 3) * (rim_u**2 + rim_v**2)
    return np.asarray(bent[..., None] + drawn["phase"][:, None, None, :], np.float32)
