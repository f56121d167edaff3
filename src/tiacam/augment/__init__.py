"""The learned auto-augmentor: six differentiable camera modules (§3.1, S5)."""

from .additive import Additive, AdditiveParams
from .compression import Compression, CompressionParams
from .distortion import Distortion, Params, Strength
from .filtering import Filtering, FilteringParams
from .moire import Moire, MoireParams
from .perspective import Perspective, PerspectiveParams
from .photometric import Photometric, PhotometricParams

__all__ = [
    "Additive",
    "AdditiveParams",
    "Compression",
    "CompressionParams",
    "Distortion",
    "Filtering",
    "FilteringParams",
    "Moire",
    "MoireParams",
    "Params",
    "Perspective",
    "PerspectiveParams",
    "Photometric",
    "PhotometricParams",
    "Strength",
]
