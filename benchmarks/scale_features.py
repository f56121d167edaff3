"""Features of whole collections, taken once and kept: what the scale and impostor benchmarks compare.

    OMP_NUM_THREADS=2 python -m benchmarks.scale_features CACHE ARCHIVE.tar ...

For every tar of pictures one file CACHE/features-MODEL@HASH-ARCHIVE.npy, whitened unit features in fp16 (N, D), in the
order of the tar. A file that is there is kept, so a stopped run goes on where it was; another model has other names.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from tiacam.data.shards import decode, members
from tiacam.model import FeatureModel, load_model

BATCH = 32
Half = NDArray[np.float16]


def cache_path(cache: Path, model: FeatureModel, name: str) -> Path:
    return cache / f"features-{model.id}-{name}.npy"


def extract_archive(model: FeatureModel, archive: Path) -> Half:
    """Features of all pictures of a tar (N, D)."""
    return np.concatenate(list(tqdm(batches(model, archive), archive.name, unit="batch", disable=None)))


def batches(model: FeatureModel, archive: Path) -> Iterator[Half]:
    contents = members(archive)
    with ThreadPoolExecutor(2) as pool:
        while batch := list(islice(contents, BATCH)):
            pixels = np.stack(list(pool.map(lambda content: decode(content, model.card.input_size), batch)))
            yield model.extract(pixels).astype(np.float16)


def save(path: Path, features: Half) -> None:
    """Beside it first: a stopped run leaves no half file under the final name."""
    beside = path.with_name(f".{path.name}")
    with beside.open("wb") as file:
        np.save(file, features)
    beside.replace(path)


def features_of(cache: Path, model: FeatureModel, archive: Path) -> Half:
    """The features of a tar from the cache, or taken now and kept there."""
    path = cache_path(cache, model, archive.stem)
    if not path.exists():
        save(path, extract_archive(model, archive))
    loaded: Half = np.load(path)
    return loaded


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("cache", type=Path)
    parser.add_argument("archives", type=Path, nargs="+")
    parser.add_argument("--model", default=None)
    parser.add_argument("--threads", type=int, default=None)
    args = parser.parse_args()
    model = load_model(args.model, threads=args.threads) if args.model else load_model(threads=args.threads)
    for archive in args.archives:
        features = features_of(args.cache, model, archive)
        print(f"{cache_path(args.cache, model, archive.stem).name}: {features.shape}", flush=True)


if __name__ == "__main__":
    main()
