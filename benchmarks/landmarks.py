"""Landmarks alone: how often a photo is aligned to its own picture, and how often to another.

    python -m benchmarks.landmarks CAMERA_FOLDER --unrelated heldout/coco.tar

CAMERA_FOLDER holds `pairs.jsonl` (original, captured, corners_tl_tr_br_bl). Every photo is aligned to its own original,
to some other originals of the folder (a few photos show two of them), and to unrelated pictures. Written:
results/landmarks.json.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.record import ROOT, write
from tqdm import tqdm

from tiacam.align import Alignment, Keypoints, Landmarks, align, choose_landmarks, find_keypoints
from tiacam.app.aligning import PHOTO_KEYPOINTS, PHOTO_SIDE
from tiacam.app.sights import SHORTER_SIDE
from tiacam.data.shards import members
from tiacam.image import load

LEVELS = (1e-2, 1e-6, 1e-9)
OTHERS, UNRELATED = 12, 40  # comparisons for each photo
SEED = 0
Row = dict[str, Any]


def describe(name: str, found: Sequence[Alignment | None]) -> Row:
    p_values = np.array([one.p_value if one else 1.0 for one in found])
    inliers = np.array([one.inliers if one else 0 for one in found])
    row: Row = {"name": name, "n": len(found), "smallest": float(p_values.min())}
    row |= {f"share_below_{level:g}": float((p_values < level).mean()) for level in LEVELS}
    return row | {"inliers_median": float(np.median(inliers)), "inliers_5th": float(np.percentile(inliers, 5)),
                  "inliers_largest": int(inliers.max())}  # fmt: skip


def corner_errors(pairs: Sequence[Row], folder: Path, found: Sequence[Alignment | None]) -> Iterator[float]:
    """Mean distance of the corners from the true ones, in shares of the photo's longer side."""
    for pair, one in zip(pairs, found, strict=True):
        corners = pair.get("corners_tl_tr_br_bl")
        if one is not None and corners is not None:
            height, width = load(folder / pair["captured"]).pixels.shape[:2]
            error = np.linalg.norm(np.array(one.corners) * (width, height) - np.array(corners), axis=1)
            yield float(error.mean() / max(width, height))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, metavar="CAMERA_FOLDER")
    parser.add_argument("--unrelated", type=Path, required=True, help="tar of other pictures")
    parser.add_argument("--out", type=Path, default=ROOT / "results" / "landmarks.json")
    options = parser.parse_args()
    pairs = [
        json.loads(line) for line in (options.folder / "pairs.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    names = sorted({pair["original"] for pair in pairs})
    packed = {name: choose_landmarks(load(options.folder / name)).pack() for name in names}
    own = {name: Landmarks.unpack(content) for name, content in packed.items()}
    unrelated = [choose_landmarks(load(content)) for content in islice(members(options.unrelated), 400)]
    dice = np.random.default_rng(SEED)
    genuine, others, strangers, photo_times, align_times = [], [], [], [], []
    for pair in tqdm(pairs, desc="photos"):
        picture = load(options.folder / pair["captured"], target=SHORTER_SIDE)
        start = time.perf_counter()
        photo: Keypoints = find_keypoints(picture, PHOTO_SIDE, PHOTO_KEYPOINTS, spread=True)
        photo_times.append(time.perf_counter() - start)
        genuine.append(align(own[pair["original"]], photo))
        start = time.perf_counter()
        rest = [name for name in names if name != pair["original"]]
        others += [align(own[name], photo) for name in dice.choice(rest, OTHERS, replace=False)]
        chosen = dice.choice(len(unrelated), UNRELATED, replace=False)
        strangers += [align(unrelated[number], photo) for number in chosen]
        align_times.append((time.perf_counter() - start) / (OTHERS + UNRELATED))
    errors = list(corner_errors(pairs, options.folder, genuine))
    rows = [
        describe("genuine", genuine),
        describe("other originals of the folder", others),
        describe("unrelated pictures", strangers),
        {"name": "corner error", "n": len(errors), "median": float(np.median(errors)),
         "q90": float(np.quantile(errors, 0.9))},
        {"name": "bytes", "n": len(packed), "largest": max(map(len, packed.values()))},
        {"name": "milliseconds", "keypoints_of_a_photo": 1e3 * float(np.median(photo_times)),
         "one_alignment": 1e3 * float(np.median(align_times)), "n": len(pairs)},
    ]  # fmt: skip
    command = f"python -m benchmarks.landmarks {options.folder.name} --unrelated {options.unrelated.name}"
    write(options.out, command=command, seed=SEED, n=len(pairs), rows=rows)
    for row in rows:
        print(row)


if __name__ == "__main__":
    main()
