"""Data sets as arrays in memory, for training and for checks."""

from .shards import read_pictures, read_shards

__all__ = ["read_pictures", "read_shards"]
