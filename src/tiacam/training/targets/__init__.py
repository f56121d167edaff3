"""The real distortions that the modules imitate, made by other means than the modules': codecs, OpenCV, numpy.

Each file has one function from pictures (N, H, W, 3) uint8 and the drawn numbers, by their names in the
module's params, to what a camera or a codec would make of them.
"""

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from .additive import add_noise
from .compression import compress
from .filtering import blur
from .moire import interfere
from .perspective import photograph
from .photometric import relight

Pixels = NDArray[np.uint8]
Drawn = Mapping[str, NDArray[np.float32]]
Target = Callable[[Pixels, Drawn], Pixels]

TARGETS: Mapping[str, Target] = {
    "moire": interfere,
    "perspective": photograph,
    "photometric": relight,
    "additive": add_noise,
    "filtering": blur,
    "compression": compress,
}

__all__ = ["TARGETS", "Drawn", "Pixels", "Target"]
