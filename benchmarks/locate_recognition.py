"""What locating does for recognition: real photos against a gallery, whole, located, and with the true corners.

    python -m benchmarks.locate_recognition --camera CAMERA_FOLDER --distractors heldout/coco.tar

For every photo the cosines of its views to all records; the best view counts. Features only: no heads, no messages.
Written: results/locate-recognition.json.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.locate import printed_corners
from benchmarks.record import ROOT, write
from numpy.typing import NDArray
from PIL import Image

from tiacam.data.shards import read_pictures
from tiacam.image import load, square
from tiacam.locate import Quad, load_locator, rectify
from tiacam.locate.rectify import UNIT_SQUARE
from tiacam.model import DEFAULT_MODEL, FeatureModel, load_model

Features = NDArray[np.float32]
Pixels = NDArray[np.uint8]
Row = dict[str, Any]
FAINT = 0.3  # least confidence: a reader would rather try a doubtful quadrilateral than none


def read_pairs(folder: Path) -> list[Row]:
    lines = (folder / "pairs.jsonl").read_text(encoding="utf-8").splitlines()
    return [pair for pair in map(json.loads, lines) if pair.get("corners_tl_tr_br_bl")]


def trim(original: Pixels) -> Pixels:
    """Without its white margins."""
    corners = printed_corners(original, UNIT_SQUARE * np.array(original.shape[1::-1])).round().astype(int)
    (left, top), (right, bottom) = corners[0], corners[2]
    return original[top:bottom, left:right]


def extract(model: FeatureModel, cuts: list[Pixels]) -> Features:
    return np.concatenate([model.extract(np.stack(cuts[i : i + 16])) for i in range(0, len(cuts), 16)])


def extract_views(model: FeatureModel, views: list[list[Pixels]]) -> list[Features]:
    """The features of each photo's views."""
    features = extract(model, [cut for cuts in views for cut in cuts])
    return np.split(features, np.cumsum([len(cuts) for cuts in views])[:-1])


def measure(name: str, seen: list[Features], gallery: Features, own: list[int]) -> Row:
    """Top-1, the cosine to the right record, and how often it lies over every wrong one of all photos."""
    best = np.stack([(views @ gallery.T).max(axis=0) for views in seen])  # (P, G)
    index = np.arange(len(own))
    right = best[index, own]
    wrong = best.copy()
    wrong[index, own] = -1
    return {
        "views": name,
        "n": len(own),
        "views_a_photo": round(float(np.mean([len(views) for views in seen])), 2),
        "top1": round(float((right > wrong.max(axis=1)).mean()), 4),
        "mean_cosine": round(float(right.mean()), 4),
        "p5_cosine": round(float(np.quantile(right, 0.05)), 4),
        "over_every_wrong_one": round(float((right > wrong.max()).mean()), 4),
    }


def rows(camera: Path, distractors: Path, model: FeatureModel) -> Iterator[Row]:
    size = model.card.input_size
    pairs = read_pairs(camera)
    names = sorted({pair["original"] for pair in pairs})
    originals = [np.asarray(Image.open(camera / name).convert("RGB")) for name in names]

    def foresee(cuts: list[Pixels]) -> Features:
        return model.foresee(np.stack(cuts))

    others = foresee([square(picture, size) for picture in read_pictures([distractors], 256)])
    registered = np.concatenate([foresee([square(each, size) for each in originals]), others])
    trimmed = np.concatenate([foresee([square(trim(each), size) for each in originals]), others])
    own = [names.index(pair["original"]) for pair in pairs]
    photos = [load(camera / pair["captured"]) for pair in pairs]
    covers = [
        printed_corners(originals[index], np.array(pair["corners_tl_tr_br_bl"]))
        for index, pair in zip(own, pairs, strict=True)
    ]
    true = [[rectify(photo.pixels, corners, size)] for photo, corners in zip(photos, covers, strict=True)]
    locator = load_locator(threads=1)
    found = [locator.locate(photo, least_confidence=FAINT) for photo in photos]
    again = [locator.refine(photo, quads) for photo, quads in zip(photos, found, strict=True)]

    def cut(choose: Callable[[list[Quad]], list[Quad]], located: list[list[Quad]]) -> list[list[Pixels]]:
        return [
            [quad.cut(photo, size) for quad in choose(quads)] or [square(photo.pixels, size)]
            for photo, quads in zip(photos, located, strict=True)
        ]

    forms: dict[str, list[list[Pixels]]] = {
        "whole frame": [[square(photo.pixels, size)] for photo in photos],
        "surest quad, likeliest turn": cut(lambda quads: quads[:1], found),
        "surest quad, likely turns": cut(
            lambda quads: [t for q in quads[:1] for t in q.likely_turns()], found
        ),
        "surest quad, four turns": cut(
            lambda quads: [q.turned(k) for q in quads[:1] for k in range(4)], found
        ),
        "all quads, likely turns": cut(lambda quads: [t for q in quads for t in q.likely_turns()], found),
        "second look, likely turns": cut(
            lambda quads: [t for q in quads[:1] for t in q.likely_turns()], again
        ),
        "true corners": true,
    }
    for name, views in forms.items():
        seen = extract_views(model, views)
        for gallery_name, gallery in (("as registered", registered), ("without white margins", trimmed)):
            yield {"gallery": gallery_name} | measure(name, seen, gallery, own)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--camera", type=Path, required=True, metavar="CAMERA_FOLDER")
    parser.add_argument("--distractors", type=Path, required=True, help="tar of other pictures to register")
    parser.add_argument("--model", default=DEFAULT_MODEL)
    parser.add_argument("--out", type=Path, default=ROOT / "results" / "locate-recognition.json")
    options = parser.parse_args()
    model = load_model(options.model, threads=1)
    found = []
    for row in rows(options.camera, options.distractors, model):
        print(json.dumps(row), flush=True)
        found.append(row)
    command = f"python -m benchmarks.locate_recognition --camera CAMERA --distractors coco.tar --model {options.model}"
    more = {"model": model.id, "locator": load_locator().card.id}
    write(options.out, command=command, seed=None, n=sum(row["n"] for row in found), rows=found, **more)


if __name__ == "__main__":
    main()
