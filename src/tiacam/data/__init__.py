"""Data sets as arrays in memory, for training and for checks."""

from .captions import CaptionTable, match_captions, read_captions, save_embeddings
from .shards import read_names, read_pictures, read_shards

__all__ = [
    "CaptionTable",
    "match_captions",
    "read_captions",
    "read_names",
    "read_pictures",
    "read_shards",
    "save_embeddings",
]
