"""The learned auto-augmentor: six differentiable camera modules (§3.1, S5)."""

from .additive import Additive, AdditiveParams
from .adversarial import AscentLosses, AscentSettings, ascend
from .augmentor import ORDER, Augmentor, AutoAugmentor, Draw
from .compression import Compression, CompressionParams
from .distortion import Distortion, Params, Strength
from .filtering import Filtering, FilteringParams
from .losses import augmentor_objective, invariance_loss, semantic_loss
from .manual import ManualAugmentor
from .moire import Moire, MoireParams
from .perspective import Perspective, PerspectiveParams
from .photometric import Photometric, PhotometricParams

__all__ = [
    "ORDER",
    "Additive",
    "AdditiveParams",
    "AscentLosses",
    "AscentSettings",
    "Augmentor",
    "AutoAugmentor",
    "Compression",
    "CompressionParams",
    "Distortion",
    "Draw",
    "Filtering",
    "FilteringParams",
    "ManualAugmentor",
    "Moire",
    "MoireParams",
    "Params",
    "Perspective",
    "PerspectiveParams",
    "Photometric",
    "PhotometricParams",
    "Strength",
    "ascend",
    "augmentor_objective",
    "invariance_loss",
    "semantic_loss",
]
