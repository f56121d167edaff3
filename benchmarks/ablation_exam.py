"""The pictures on which the ablations are examined, made once, so that a GPU machine needs no codecs for it.

    python -m benchmarks.ablation_exam --heldout heldout/coco.tar --camera camera --out exam.tar

heldout/clean, and heldout/NAME for the six distortions of Table 1 and all of them together, each applied by
`tiacam.capture` at the picture's own size; photos/original, photos/raw and photos/rectified from the real phone photos
(rectified by true corners). Everything is then squashed to one size and stored as WebP of quality 95.
"""

from __future__ import annotations

import argparse
import io
import sys
import tarfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from tqdm import tqdm

from tiacam.data.shards import members

QUALITY = 95
THREADS = 4

Entry = tuple[str, Image.Image]


def heldout_entries(archive: Path, count: int, seed: int) -> Iterator[Entry]:
    """Each held-out picture, untouched and after every distortion."""
    from tiacam.capture.attacks import Group, attacks_of  # needs codecs

    for index, content in enumerate(islice(members(archive), count)):
        pixels = np.asarray(Image.open(io.BytesIO(content)).convert("RGB"))
        yield f"heldout/clean/{index:04}", Image.fromarray(pixels)
        for attack in attacks_of(Group.DISTORTION):
            yield f"heldout/{attack.name}/{index:04}", Image.fromarray(attack.apply(pixels, seed + index))


def photo_entries(folder: Path) -> Iterator[Entry]:
    """Originals under their numbers; photos of them under the original's number and their own."""
    from benchmarks.camera_photos import read_pairs, rectify  # with the registry and its dependencies

    pairs = read_pairs(folder)
    originals = sorted({pair["original"] for pair in pairs})
    for place, name in enumerate(originals):
        yield f"photos/original/{place:04}", Image.open(folder / name).convert("RGB")
    for index, pair in enumerate(pairs):
        photo, place = Image.open(folder / pair["captured"]).convert("RGB"), originals.index(pair["original"])
        yield f"photos/raw/{place:04}-{index:04}", photo
        if corners := pair.get("corners_tl_tr_br_bl"):
            yield f"photos/rectified/{place:04}-{index:04}", rectify(photo, corners)


def encode(entry: Entry, size: int) -> tuple[str, bytes]:
    buffer = io.BytesIO()
    entry[1].resize((size, size), Image.Resampling.LANCZOS).save(buffer, "WEBP", quality=QUALITY)
    return f"{entry[0]}.webp", buffer.getvalue()


def read_exam(path: Path, size: int) -> dict[str, dict[str, NDArray[np.uint8]]]:
    """{folder: {name: pixels}} in the order of the file, squashed to `size`."""
    found: dict[str, dict[str, NDArray[np.uint8]]] = {}
    with tarfile.open(path) as archive:
        for member in archive:
            content = archive.extractfile(member)
            assert content is not None
            picture = Image.open(io.BytesIO(content.read())).convert("RGB")
            if picture.size != (size, size):
                picture = picture.resize((size, size), Image.Resampling.LANCZOS)
            where = Path(member.name)
            found.setdefault(str(where.parent), {})[where.stem] = np.asarray(picture)
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--heldout", type=Path, required=True)
    parser.add_argument("--camera", type=Path, help="folder with pairs.jsonl")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--size", type=int, default=160)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)
    options.out.parent.mkdir(parents=True, exist_ok=True)
    with tarfile.open(options.out, "w") as archive, ThreadPoolExecutor(THREADS) as pool:
        for entries in (
            heldout_entries(options.heldout, options.count, options.seed),
            photo_entries(options.camera) if options.camera else iter(()),
        ):
            for name, content in tqdm(pool.map(lambda entry: encode(entry, options.size), entries)):
                entry = tarfile.TarInfo(name)
                entry.size = len(content)
                archive.addfile(entry, io.BytesIO(content))
    return 0


if __name__ == "__main__":
    sys.exit(main())
