"""TIACam: camera-robust zero-watermarking."""

__version__ = "0.1.0"
