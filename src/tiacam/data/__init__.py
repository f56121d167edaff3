"""Data sets as arrays in memory, for training and for checks, and loaders for those that are published as files."""

from .caltech256 import read_caltech256
from .captions import CaptionTable, match_captions, read_captions, save_embeddings
from .cifar100 import read_cifar100
from .dataset import Dataset, Example
from .flickr30k import read_flickr30k
from .layouts import read_layout
from .shards import read_names, read_pictures, read_shards
from .visual_genome import read_visual_genome

__all__ = [
    "CaptionTable",
    "Dataset",
    "Example",
    "match_captions",
    "read_caltech256",
    "read_captions",
    "read_cifar100",
    "read_flickr30k",
    "read_layout",
    "read_names",
    "read_pictures",
    "read_shards",
    "read_visual_genome",
    "save_embeddings",
]
