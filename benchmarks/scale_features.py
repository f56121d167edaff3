"""Features of whole collections, taken once and kept: what the scale and impostor benchmarks compare.

    OMP_NUM_THREADS=2 python -m benchmarks.scale_features CACHE ARCHIVE.tar ...
    python -m benchmarks.scale_features CACHE shard-*.tar --workers 14 --seconds 400

For every tar of pictures one file CACHE/features-MODEL@HASH-ARCHIVE.npy, whitened unit features in fp16 (N, D), in the
order of the tar; with `--registered` as the product registers them, in CACHE/registered-…. A file that is there is
kept, so a stopped run goes on where it was; another model has other names.
With `--seconds`, an archive that is not done by then is left out.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor, as_completed
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from tiacam.data.shards import decode, members
from tiacam.model import DEFAULT_MODEL, FeatureModel, load_model

BATCH = 32
Half = NDArray[np.float16]
Features = NDArray[np.float32]
Pixels = NDArray[np.uint8]


def cache_path(cache: Path, model: FeatureModel, name: str, *, registered: bool = False) -> Path:
    return cache / f"{'registered' if registered else 'features'}-{model.id}-{name}.npy"


def extract_archive(model: FeatureModel, archive: Path, until: float, *, registered: bool = False) -> Half:
    """Features of all pictures of a tar (N, D)."""
    done = []
    extract = model.foresee if registered else model.extract
    for batch in tqdm(batches(model, archive, extract), archive.name, unit="batch", disable=None):
        if time.time() > until:
            raise TimeoutError
        done.append(batch)
    return np.concatenate(done)


def batches(model: FeatureModel, archive: Path, extract: Callable[[Pixels], Features]) -> Iterator[Half]:
    contents = members(archive)
    with ThreadPoolExecutor(2) as pool:
        while batch := list(islice(contents, BATCH)):
            pixels = np.stack(list(pool.map(lambda content: decode(content, model.card.input_size), batch)))
            yield extract(pixels).astype(np.float16)


def save(path: Path, features: Half) -> None:
    """Beside it first: a stopped run leaves no half file under the final name."""
    beside = path.with_name(f".{path.name}")
    with beside.open("wb") as file:
        np.save(file, features)
    beside.replace(path)


def features_of(
    cache: Path, model: FeatureModel, archive: Path, until: float = float("inf"), *, registered: bool = False
) -> Half:
    """The features of a tar from the cache, or taken now and kept there."""
    path = cache_path(cache, model, archive.stem, registered=registered)
    if not path.exists():
        save(path, extract_archive(model, archive, until, registered=registered))
    loaded: Half = np.load(path)
    return loaded


def run(
    cache: Path, model_name: str | None, archive: Path, threads: int | None, until: float, registered: bool
) -> str:
    """Take one archive's features; what is not done at `until` (by the clock) is given up."""
    if time.time() >= until:
        return f"{archive.name}: no time left"
    model = load_model(model_name or DEFAULT_MODEL, threads=threads)
    try:
        features = features_of(cache, model, archive, until, registered=registered)
    except TimeoutError:
        return f"{archive.name}: given up, no time left"
    return f"{cache_path(cache, model, archive.stem, registered=registered).name}: {features.shape}"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("cache", type=Path)
    parser.add_argument("archives", type=Path, nargs="+")
    parser.add_argument("--model", default=None)
    parser.add_argument("--threads", type=int, default=None)
    parser.add_argument("--workers", type=int, default=1, help="archives at once, each with one thread")
    parser.add_argument("--registered", action="store_true", help="as the product registers pictures")
    parser.add_argument("--seconds", type=float, default=float("inf"))
    args = parser.parse_args()
    args.cache.mkdir(parents=True, exist_ok=True)
    until = time.time() + args.seconds
    threads = 1 if args.workers > 1 else args.threads
    with ProcessPoolExecutor(args.workers) as pool:
        given = (threads, until, args.registered)
        jobs = [pool.submit(run, args.cache, args.model, path, *given) for path in args.archives]
        for job in as_completed(jobs):
            print(job.result(), flush=True)


if __name__ == "__main__":
    main()
