"""Shards and caption files → pictures that have captions, and those captions in an encoder's joint space."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import chain, compress
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from tiacam.data import match_captions, read_captions, read_names
from tiacam.data.shards import THREADS, decode, members
from tiacam.errors import DataError
from tiacam.features.anchor_encoder import AnchorEncoder
from tiacam.features.dual import DualEncoder, embed_in_batches
from tiacam.training.negatives import Anchors, MiningSettings, find_owners, mine_negatives

PASS = 4096  # sentence vectors that are projected at once


@dataclass(frozen=True)
class Captioned:
    """Pictures (N, size, size, 3) and what is known of their captions: vectors of sentences, or the words."""

    pixels: NDArray[np.uint8]
    first: Tensor  # (N,) a picture's captions are the rows first[i] ... first[i] + count[i] - 1
    count: Tensor
    vectors: Tensor | None = None  # (C, 384)
    texts: tuple[str, ...] | None = None


def read_with_vectors(
    archives: Sequence[Path], embeddings: Path, size: int, limit: int | None = None
) -> Captioned:
    """Pictures whose captions' sentence vectors are in a file of `tiacam.data.save_embeddings`."""
    table = match_captions(embeddings, read_names(list(archives))[:limit])
    has = table.count > 0
    first, count = (torch.from_numpy(part[has]) for part in (table.first, table.count))
    pixels = read_chosen(archives, has, size)
    return Captioned(pixels, first, count, vectors=torch.from_numpy(table.embeddings))


def read_with_texts(
    archives: Sequence[Path], captions: Path, size: int, limit: int | None = None
) -> Captioned:
    """Pictures whose captions are in a file of JSON lines."""
    names = read_names(list(archives))[:limit]
    known = {name: texts for name, texts in read_captions(captions) if texts}
    has = np.array([name in known for name in names])
    if not has.any():
        raise DataError(f"none of the {len(names)} pictures has a caption in {captions}")
    lists = [known[name] for name in names if name in known]
    count = torch.tensor([len(texts) for texts in lists])
    pixels = read_chosen(archives, has, size)
    flat = tuple(text for texts in lists for text in texts)
    return Captioned(pixels, count.cumsum(0) - count, count, texts=flat)


def read_chosen(archives: Sequence[Path], chosen: NDArray[np.bool_], size: int) -> NDArray[np.uint8]:
    """Some pictures of the archives, by their place (N, size, size, 3); the others are not decoded."""
    encoded = compress(chain.from_iterable(members(path) for path in archives), chosen)
    with ThreadPoolExecutor(THREADS) as pool:
        return np.stack(list(pool.map(lambda content: decode(content, size), encoded)))


def read_captioned(
    archives: Sequence[Path], captions: Path, size: int, limit: int | None = None
) -> Captioned:
    """Either of the two, by the file's suffix."""
    if not archives:
        raise DataError("no shard-*.tar of training pictures")
    read = read_with_vectors if captions.suffix == ".npz" else read_with_texts
    return read(archives, captions, size, limit)


def build_anchors(encoder: DualEncoder, found: Captioned, mining: MiningSettings) -> Anchors:
    """g_τ of all captions, and for each the near but wrong ones."""
    device = next(encoder.parameters()).device
    first, count = found.first.to(device), found.count.to(device)
    if found.texts is not None:
        embedded = embed_in_batches(encoder, found.texts).to(device)
        owner = find_owners(first, count, len(embedded))
        negatives = mine_negatives(embedded, owner, mining)
        return Anchors(embedded, first, count, negatives, mining.hard_share)
    assert found.vectors is not None
    if not isinstance(encoder, AnchorEncoder):
        raise DataError(
            "vectors of sentences serve the anchor alone: another encoder needs the captions' words"
        )
    vectors = found.vectors.to(device)
    owner = find_owners(first, count, len(vectors))
    kept = owner >= 0  # a caption whose picture is not here is no use
    vectors, place = vectors[kept], torch.cumsum(kept, 0) - 1
    embedded = torch.cat([encoder.embed_sentences(part) for part in vectors.split(PASS)])
    negatives = mine_negatives(vectors, owner[kept], mining)
    return Anchors(embedded, place[first], count, negatives, mining.hard_share)
