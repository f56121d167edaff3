"""Features of simulated captures of registered pictures, taken once and kept: the queries of the scale benchmark.

    OMP_NUM_THREADS=1 python -m benchmarks.scale_captures CACHE heldout/coco.tar --count 300

For each kind of capture one file CACHE/features-MODEL@HASH-captures-KIND.npy in fp16 (N, 2, D): the whole photo, and
the picture cut out by its true corners, which stands for a locator that finds it. Typical strength, picture i, seed i.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from benchmarks.scale_features import cache_path, save
from numpy.typing import NDArray
from PIL import Image
from tqdm import tqdm

from tiacam.capture import Capture, Kind, Strength, simulate
from tiacam.cli.demo_captures import homography
from tiacam.data.shards import read_pictures
from tiacam.image import square
from tiacam.model import FeatureModel, load_model

SIDE = 256
BACKGROUNDS = 4

Pixels = NDArray[np.uint8]


def rectify(capture: Capture, size: int) -> Pixels:
    """The picture as it lies in the photo, cut out by its true corners."""
    edge = float(size)
    corners = np.array([(0, 0), (edge, 0), (edge, edge), (0, edge)])
    matrix = homography(corners, np.asarray(capture.corners, np.float64))
    photo = Image.fromarray(capture.photo)
    seen = photo.transform((size, size), Image.Transform.PERSPECTIVE, matrix, Image.Resampling.BICUBIC)
    return np.asarray(seen)


def capture_all(model: FeatureModel, pictures: Pixels, kind: Kind) -> NDArray[np.float16]:
    """Two views of one capture of every picture (N, 2, D)."""
    size = model.card.input_size
    views = []
    for seed, picture in enumerate(tqdm(pictures, kind.value, disable=None)):
        others = [pictures[(seed + step) % len(pictures)] for step in range(1, BACKGROUNDS + 1)]
        capture = simulate(picture, kind, Strength.TYPICAL, seed=seed, backgrounds=others)
        height, width = capture.photo.shape[:2]
        views += [square(capture.photo, size, (0, 0, width, height)), rectify(capture, size)]
    return model.extract(np.stack(views)).astype(np.float16).reshape(len(pictures), 2, -1)


def captures_of(cache: Path, model: FeatureModel, kind: Kind) -> NDArray[np.float16]:
    loaded: NDArray[np.float16] = np.load(cache_path(cache, model, f"captures-{kind}"))
    return loaded


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("cache", type=Path)
    parser.add_argument("archive", type=Path)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--model", default=None)
    args = parser.parse_args()
    model = load_model(args.model) if args.model else load_model()
    pictures = read_pictures([args.archive], SIDE, args.count)
    for kind in Kind:
        path = cache_path(args.cache, model, f"captures-{kind}")
        if not path.exists():
            save(path, capture_all(model, pictures, kind))
        print(f"{path.name}: {captures_of(args.cache, model, kind).shape}", flush=True)


if __name__ == "__main__":
    main()
