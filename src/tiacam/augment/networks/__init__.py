"""The networks of S5, one file each, without the operators that they sit on."""

from .decoder import LatentDecoder, ResidualMap
from .resnet import PoseRegressor, ResNet18
from .spread import SpreadFunction
from .unet import UNet

__all__ = ["LatentDecoder", "PoseRegressor", "ResNet18", "ResidualMap", "SpreadFunction", "UNet"]
