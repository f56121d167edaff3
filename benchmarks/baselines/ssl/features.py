"""Features that Table 1 and the photos need, of several models: the slow half of `ssl.measure`, on any machine.

    python -m benchmarks.baselines.ssl.features anchor-0 DIR/*.pt --data heldout/coco.tar --photos FOLDER --out DIR

FOLDER holds real photos with their pairs.jsonl; they are taken as they are, and rectified by their corners where these
are known. Written: DIR/NAME.npz for each model, in fp16.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from benchmarks.baselines.attacking import attack_all, open_pool
from benchmarks.baselines.embedding import Embedder, open_embedder
from numpy.typing import NDArray

from tiacam.capture.attacks import Group, attacks_of
from tiacam.data import read_pictures
from tiacam.evaluate.pairs import read_pairs
from tiacam.evaluate.photos import RECTIFIED, rectify
from tiacam.image import load, square

SOURCE = 256
FORMS = ("orig", "raw", "rec")

Pixels = NDArray[np.uint8]


def read_photos(folder: Path, size: int) -> tuple[dict[str, Pixels], dict[str, list[str]]]:
    """The pictures of each form (N, size, size, 3), and the name of the original that each one shows."""
    found: dict[str, list[tuple[str, Pixels]]] = {form: [] for form in FORMS}
    pairs = read_pairs(folder)
    for original in dict.fromkeys(pair.original for pair in pairs):
        found["orig"].append((original.name, square(load(original).pixels, size)))
    for pair in pairs:
        photo = load(pair.captured).pixels
        found["raw"].append((pair.original.name, square(photo, size)))
        if pair.corners is not None:
            flat = rectify(photo, pair.corners, RECTIFIED)
            found["rec"].append((pair.original.name, square(flat, size)))
    pictures = {form: np.stack([pixels for _, pixels in rows]) for form, rows in found.items()}
    return pictures, {form: [name for name, _ in rows] for form, rows in found.items()}


def save_features(
    embedder: Embedder, shown: dict[str, Pixels], names: dict[str, list[str]], out: Path
) -> None:
    """One file a model: features by what they are of, names, whitening, and the model's id."""
    content: dict[str, NDArray[np.generic]] = {
        name: embedder.embed(pictures).astype(np.float16) for name, pictures in shown.items()
    }
    content |= {f"names/{form}": np.array(found) for form, found in names.items()}
    content |= {f"training/{what}": np.array(value) for what, value in embedder.training.items()}
    if embedder.whitening is not None:
        content |= {"mean": embedder.whitening.mean, "scale": embedder.whitening.scale}
    out.mkdir(parents=True, exist_ok=True)
    np.savez(out / f"{embedder.name}.npz", allow_pickle=False, id=np.array(embedder.id), **content)


def show(options: argparse.Namespace, size: int) -> tuple[dict[str, Pixels], dict[str, list[str]]]:
    """All that models of one size look at, and the names of the photos."""
    pictures = list(read_pictures([options.data], SOURCE, max(options.n, options.others)))
    photos, names = read_photos(options.photos, size)
    shown = {"held": np.stack([square(picture, size) for picture in pictures])}
    shown |= {f"photos/{form}": found for form, found in photos.items()}
    with open_pool(options.workers) as pool:
        for attack in attacks_of(Group.DISTORTION):
            shown[f"attack/{attack.paper}"] = attack_all(
                pool, pictures[: options.n], attack.name, size, options.seed
            )
    return shown, names


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("models", nargs="+", help="names, cards (.json) or weights (.pt)")
    parser.add_argument("--data", type=Path, required=True, help="tar of held-out pictures")
    parser.add_argument("--photos", type=Path, required=True, help="folder with pairs.jsonl")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--n", type=int, default=200, help="pictures to attack")
    parser.add_argument(
        "--others", type=int, default=1000, help="pictures in the gallery beside the originals"
    )
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--device", default="auto")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)

    models = [open_embedder(model, options.device) for model in options.models]
    for size in sorted({model.size for model in models}):
        shown, names = show(options, size)
        for model in (model for model in models if model.size == size):
            save_features(model, shown, names, options.out)
            print(f"{model.name}: features written", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
