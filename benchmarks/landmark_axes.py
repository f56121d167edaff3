"""The axes of landmark descriptors: principal components of RootSIFT, turned so that their signs lose least (ITQ).

    python -m benchmarks.landmark_axes --pictures FLICKR8K.tar --out src/tiacam/align/files/axes.npz

Half a minute. The file is part of the record's format: another one would make every stored landmark meaningless.
"""

from __future__ import annotations

import argparse
import io
import sys
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from tiacam.align.keypoints import AXES, detector, shrink_grey
from tiacam.align.landmarks import LONGER_SIDE
from tiacam.data.shards import members

PICTURES, EACH, ROUNDS = 800, 250, 30

Floats = NDArray[np.float32]


def collect(archive: Path) -> Floats:
    """RootSIFT descriptors of the first pictures of a tar."""
    rows = []
    for content in islice(members(archive), PICTURES):
        grey = shrink_grey(np.asarray(Image.open(io.BytesIO(content)).convert("RGB")), LONGER_SIDE)
        _, raw = detector(EACH).detectAndCompute(grey, None)
        if raw is not None:
            rows.append(np.sqrt(raw / np.maximum(raw.sum(axis=1, keepdims=True), 1e-9)))
    return np.concatenate(rows).astype(np.float32)


def learn(descriptors: Floats, seed: int = 0) -> tuple[Floats, Floats]:
    """Mean and axes (128, 64): the strongest components, rotated towards the corners of a cube."""
    mean = descriptors.mean(axis=0)
    centred = descriptors - mean
    _, vectors = np.linalg.eigh(centred.T @ centred)
    components = vectors[:, ::-1][:, :AXES]
    reduced = centred @ components
    rotation = np.linalg.qr(np.random.default_rng(seed).standard_normal((AXES, AXES)))[0]
    for _ in range(ROUNDS):
        left, _, right = np.linalg.svd(np.sign(reduced @ rotation).T @ reduced)
        rotation = (left @ right).T
    return mean, np.asarray(components @ rotation, np.float32)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pictures", type=Path, required=True, help="tar of photos")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args(arguments)
    mean, axes = learn(collect(options.pictures))
    np.savez_compressed(options.out, mean=mean.astype(np.float16), axes=axes.astype(np.float16))
    return 0


if __name__ == "__main__":
    sys.exit(main())
