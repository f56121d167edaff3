"""Is one model better than another? What a claim needs of each, and how often photos and distorted pictures have it.

    python -m benchmarks.backbones anchor-1 anchor-2 --pictures heldout/coco.tar --photos CAMERA_FOLDER

A claim among 1,000 records after all looks needs a cosine that follows from the model's own null, which its card
carries, so the share of genuine cosines above it compares models that genuine cosines alone do not. Features of whole
frames and of pictures cut out by their true corners; no locator, no landmarks. Written: results/backbones.json.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import torch
from benchmarks.record import ROOT, write
from numpy.typing import NDArray

from tiacam.app.sights import LOOKS
from tiacam.capture import Kind, Strength
from tiacam.capture.attacks import Group
from tiacam.data.shards import read_pictures
from tiacam.evaluate.attacked import attack_names
from tiacam.evaluate.bench import Bench, Features
from tiacam.evaluate.metrics import Estimate, by_picture, estimate_rate, split_cosines
from tiacam.evaluate.opening import open_bench
from tiacam.evaluate.photos import Photo, owners
from tiacam.evaluate.record import Row
from tiacam.evaluate.rows import cosine_rows
from tiacam.model import FeatureModel, load_model
from tiacam.training.vitals import effective_rank
from tiacam.watermark import Decision

RECORDS = 1000
SEED = 0


def examine(model: FeatureModel, pictures: Path, photos: Path, n: int) -> Iterator[Row]:
    bench = open_bench(model, [pictures, photos], n, SEED)
    needed = Decision(model.card.null_dimensions).threshold(RECORDS * LOOKS)
    yield Row.of(model.id, "cosine needed", Estimate(needed, None, None))
    every = model.extract(
        read_pictures([pictures], model.card.input_size)
    )  # a rank needs more than n pictures
    rank = effective_rank(torch.from_numpy(every))
    yield Row.of(f"{model.id}, {len(every):,} pictures", "effective rank", Estimate(rank, None, None))
    for (attack,) in attack_names(Group.DISTORTION).values():
        seen = bench.attack(attack)
        yield from genuine_rows(f"{model.id}, {attack}", seen, np.arange(bench.n), bench, needed)
    for what, shown in takes(bench):
        images = [photo.rectified() if what.endswith("rectified") else photo.place for photo in shown]
        seen = bench.look_at(what, images)
        yield from genuine_rows(f"{model.id}, {what}", seen, np.array(owners(shown)), bench, needed)


def takes(bench: Bench) -> Iterator[tuple[str, list[Photo]]]:
    """Photos as they are and rectified: real ones, and simulated prints, which are the hardest of the three."""
    real = bench.real_photos("print")
    yield "real prints", real
    yield "real prints, rectified", [photo for photo in real if photo.corners is not None]
    for strength in (Strength.TYPICAL, Strength.SEVERE):
        yield f"{strength} prints, rectified", bench.captures(Kind.PRINT, strength, rounds=1)


def genuine_rows(
    name: str, seen: Features, numbers: NDArray[np.int64], bench: Bench, needed: float
) -> Iterator[Row]:
    yield from cosine_rows(bench, name, seen, numbers)
    own, _ = split_cosines(seen @ bench.registered_features.T, numbers)
    above = by_picture(np.asarray(own >= needed, np.float64), numbers)
    yield Row.of(name, "above the cosine needed", estimate_rate(above))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("models", nargs="+", help="names of shipped models, or paths of cards (.json)")
    parser.add_argument("--pictures", type=Path, required=True)
    parser.add_argument("--photos", type=Path, required=True)
    parser.add_argument("--n", type=int, default=120)
    parser.add_argument("--out", type=Path, default=ROOT / "results" / "backbones.json")
    args = parser.parse_args()
    models = [load_model(name) for name in args.models]
    rows = [row for model in models for row in examine(model, args.pictures, args.photos, args.n)]
    names = " ".join(model.id.partition("@")[0] for model in models)
    write(
        args.out,
        command=f"python -m benchmarks.backbones {names} --pictures {args.pictures.name} --photos CAMERA_FOLDER "
        f"--n {args.n}",
        seed=SEED,
        n=args.n,
        rows=[row.to_json() for row in rows],
        models={model.id: dict(model.card.null_evidence) for model in models},
    )
    for row in rows:
        print(f"{row.name:52} {row.metric:32} {row.value}")


if __name__ == "__main__":
    main()
