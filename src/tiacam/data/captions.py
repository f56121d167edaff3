"""Caption files and tables of caption embeddings, matched to pictures by name."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tiacam.errors import DataError


@dataclass(frozen=True)
class CaptionTable:
    """Embeddings of all captions; those of picture i are the rows first[i] up to first[i] + count[i]."""

    embeddings: NDArray[np.float16]  # (C, D)
    first: NDArray[np.int64]  # (N,)
    count: NDArray[np.int64]  # (N,) 0 where a picture has no caption


def read_captions(path: Path) -> Iterator[tuple[str, list[str]]]:
    """Picture name (without folder and suffix) and its captions, from JSON lines, gzipped or not."""
    opener = gzip.open if path.suffix == ".gz" else open
    try:
        with opener(path, "rt", encoding="utf-8") as lines:
            for line in lines:
                entry = json.loads(line)
                yield Path(entry.get("origin") or entry["file"]).stem, list(entry["captions"])
    except (OSError, ValueError, KeyError) as error:
        raise DataError(f"{path} is no caption file of JSON lines: {error}") from error


def save_embeddings(path: Path, names: Sequence[str], embeddings: NDArray[np.float32]) -> None:
    """One row a caption: the picture's name and the sentence's embedding."""
    np.savez(path, ids=np.array(names), emb=embeddings.astype(np.float16))


def match_captions(path: Path, pictures: Sequence[str]) -> CaptionTable:
    """The saved embeddings, in the order of these pictures."""
    try:
        saved = np.load(path)
        names, embeddings = saved["ids"], saved["emb"]
    except (OSError, KeyError, ValueError) as error:
        raise DataError(f"{path} holds no caption embeddings: {error}") from error
    order = np.argsort(names, kind="stable")
    ranked = names[order]
    wanted = np.array(pictures)
    first = np.searchsorted(ranked, wanted, "left")
    count = np.searchsorted(ranked, wanted, "right") - first
    if not count.any():
        raise DataError(f"none of the {len(pictures)} pictures has a caption in {path}")
    return CaptionTable(embeddings[order], first.astype(np.int64), count.astype(np.int64))
