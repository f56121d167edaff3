"""Bad light: views with glare taken out and contrast evened, for records whose landmarks or nearness promise more."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tiacam.image import Picture
from tiacam.locate import Quad

BLOWN = 225  # level of the darkest channel from which on nothing of the picture is left
RIM = 7  # pixels of a view: glare spreads a little around what is blown out
NEIGHBOURHOOD = 3  # pixels from which a filling takes its colour
EVENED, TILES = 2.0, 4  # limit of contrast, and tiles to a side in which it is made the same


@dataclass(frozen=True)
class WithoutGlare:
    """A place whose reflections are filled from around them: a white patch says more than it should."""

    place: Quad

    @property
    def name(self) -> str:
        return f"{self.place.name}, without glare"

    @property
    def smallest_side(self) -> float:
        return self.place.smallest_side

    def cut(self, picture: Picture, size: int) -> NDArray[np.uint8]:
        return fill_glare(self.place.cut(picture, size))


def fill_glare(pixels: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """(H, W, 3) with what is blown out filled from around it."""
    import cv2

    blown = cv2.dilate((pixels.min(axis=2) > BLOWN).astype(np.uint8), np.ones((RIM, RIM), np.uint8))
    return np.asarray(cv2.inpaint(pixels, blown, NEIGHBOURHOOD, cv2.INPAINT_TELEA), np.uint8)


def even(grey: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Grey levels (H, W) with about the same contrast everywhere."""
    import cv2

    return np.asarray(cv2.createCLAHE(EVENED, (TILES, TILES)).apply(grey), np.uint8)
