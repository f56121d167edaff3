"""What the heads cost beside a forward pass of the model, and a whole reading beside decoding and beside fingerprints.

    python -m benchmarks.speed

Times from a file on disk to the answer, everything included that each needs. The photo has 12 megapixels (four sample
pictures enlarged, with noise like a sensor's, JPEG quality 92). The fingerprints run twice: on the file fully decoded,
as their documentation shows, and decoded at a quarter of its scale, as one can. RootSIFT works on 1,000 pixels
of the longer side either way. No search or matching is counted for the fingerprints; `Tiacam.read` includes the search
among 1,001 records, the message and the verdict. torch runs on one thread, its fastest for so small a problem.
Run it on a quiet machine: time slices lengthen long contestants more than short ones. Written: results/speed.json.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import cv2
import imagehash
import numpy as np
import pdqhash
import torch
from benchmarks.record import ROOT, write
from benchmarks.timing import compare, take_turns
from numpy.typing import NDArray
from PIL import Image
from skimage import data

from tiacam.app import Tiacam
from tiacam.model import load_model
from tiacam.registry import Draft
from tiacam.watermark import KeyedHead, Message, ReferenceHead
from tiacam.watermark.reference import ReferenceParameters

SECRET = bytes(range(32))
RECORDS = 1000
SIFT_SIDE = 1000
MESSAGE = Message.from_int(0x0123_4567_89AB_CDEF, 100)

Features = NDArray[np.float32]
Contestants = dict[str, Callable[[], object]]


def draw_feature(rng: np.random.Generator, width: int = 512) -> Features:
    vector = rng.standard_normal(width)
    return np.asarray(vector / np.linalg.norm(vector), np.float32)


def enter_heads(rng: np.random.Generator) -> Contestants:
    """The keyed head, reading a feature of cosine 0.7 and an unrelated one, and the model it stands beside.

    Right after a forward pass the caches hold the model's weights, so the head is slower there than `again`.
    """
    default, single = load_model(), load_model(threads=1)
    feature, noise = (draw_feature(rng, default.card.feature_width) for _ in range(2))
    near = np.asarray(0.7 * feature + np.sqrt(0.51) * noise, np.float32)
    head, mark = KeyedHead(), KeyedHead().bind(feature, MESSAGE, SECRET)
    assert head.read(near, mark, SECRET).message == MESSAGE
    pixels = rng.integers(0, 256, (1, default.card.input_size, default.card.input_size, 3), dtype=np.uint8)
    return {
        "forward pass, default threads": lambda: default.extract(pixels),
        "forward pass, one thread": lambda: single.extract(pixels),
        "keyed bind": lambda: head.bind(feature, MESSAGE, SECRET),
        "keyed bind, again": lambda: head.bind(feature, MESSAGE, SECRET),
        "a forward pass between": lambda: single.extract(pixels),
        "keyed read": lambda: head.read(near, mark, SECRET),
        "keyed read, again": lambda: head.read(near, mark, SECRET),
        "keyed read, unrelated, again": lambda: head.read(noise, mark, SECRET),
    }


def enter_reference(rng: np.random.Generator) -> Contestants:
    feature = draw_feature(rng)
    head = ReferenceHead()
    return {
        "reference bind": lambda: head.bind(feature, MESSAGE),
        "the same 500 steps by torch autograd": lambda: optimise(feature, head.parameters),
    }


def optimise(feature: Features, chosen: ReferenceParameters) -> torch.Tensor:
    """Eqs. 5-7 as they are usually written down: a linear layer, a code matrix and an optimiser."""
    picture, bits = torch.from_numpy(feature), torch.tensor(MESSAGE.bits, dtype=torch.float32)
    projection = torch.nn.Linear(len(feature), chosen.width)
    codes = torch.nn.Parameter(chosen.spread * torch.randn(MESSAGE.length, chosen.width))
    optimiser = torch.optim.SGD([codes, *projection.parameters()], lr=chosen.rate)
    for _ in range(chosen.steps):
        optimiser.zero_grad()
        predicted = torch.sigmoid(codes @ projection(picture))
        loss = torch.nn.functional.binary_cross_entropy(predicted, bits, reduction="sum")
        (loss + chosen.penalty * codes.square().sum()).backward()
        optimiser.step()
    return codes


def make_photo(rng: np.random.Generator, path: Path, pictures: list[NDArray[np.uint8]]) -> Path:
    """A JPEG of 4000 × 3000 pixels with noise in it."""
    canvas = Image.new("RGB", (4000, 3000))
    for place, pixels in enumerate(pictures):
        tile = Image.fromarray(pixels).resize((2000, 1500), Image.Resampling.BICUBIC)
        canvas.paste(tile, (2000 * (place % 2), 1500 * (place // 2)))
    noisy = np.asarray(canvas, np.float32) + 3 * rng.standard_normal((3000, 4000, 3), np.float32)
    Image.fromarray(noisy.clip(0, 255).astype(np.uint8)).save(path, quality=92)
    return path


def fill(tiacam: Tiacam, rng: np.random.Generator) -> None:
    """Records of random features, so that there is something to search."""
    drafts = []
    for _ in range(RECORDS):
        feature = draw_feature(rng, tiacam.model.card.feature_width)
        mark = KeyedHead().bind(feature, MESSAGE, tiacam.key.head_secret)
        drafts.append(Draft(model=tiacam.model.id, mark=mark, feature=feature, bits=MESSAGE.length))
    tiacam.registry.add_many(drafts, tiacam.key)


def enter_photo(rng: np.random.Generator, folder: Path, threads: int | None) -> Contestants:
    photo = make_photo(
        rng, folder / "photo.jpg", [data.astronaut(), data.coffee(), data.chelsea(), data.rocket()]
    )
    unknown = make_photo(
        rng,
        folder / "unknown.jpg",
        [
            data.immunohistochemistry(),
            data.retina(),
            data.hubble_deep_field(),
            np.stack([data.page()] * 3, axis=2),
        ],
    )
    tiacam = Tiacam.open(folder / "speed.tiacam", threads=threads)
    fill(tiacam, rng)
    tiacam.register(photo, MESSAGE)
    assert tiacam.read(photo).message == MESSAGE
    assert not tiacam.read(unknown).registered
    return {
        "Pillow's full decode": lambda: Image.open(photo).load(),
        "Tiacam.read, registered": lambda: tiacam.read(photo),
        "Tiacam.read, not registered": lambda: tiacam.read(unknown),
        "PDQ, full decode": lambda: pdqhash.compute(np.asarray(Image.open(photo))),
        "pHash, full decode": lambda: imagehash.phash(Image.open(photo)),
        "RootSIFT, full decode": lambda: describe_root_sift(photo, cv2.IMREAD_GRAYSCALE),
        "PDQ, quarter decode": lambda: pdqhash.compute(np.asarray(open_quarter(photo))),
        "pHash, quarter decode": lambda: imagehash.phash(open_quarter(photo)),
        "RootSIFT, quarter decode": lambda: describe_root_sift(photo, cv2.IMREAD_REDUCED_GRAYSCALE_4),
    }


def open_quarter(path: Path) -> Image.Image:
    """The JPEG at a quarter of its scale, which the decoder does at little cost."""
    image = Image.open(path)
    image.draft("RGB", (image.width // 4, image.height // 4))
    return image


def describe_root_sift(path: Path, decoding: int) -> Features:
    pixels: Any = cv2.imread(str(path), decoding)
    scale = SIFT_SIDE / max(pixels.shape)
    small = cv2.resize(pixels, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    _, descriptors = cv2.SIFT_create().detectAndCompute(small, None)
    return np.asarray(np.sqrt(descriptors / np.maximum(descriptors.sum(axis=1, keepdims=True), 1e-12)))


def measure(seed: int, rounds: int) -> Iterator[dict[str, Any]]:
    rng = np.random.default_rng(seed)
    heads = take_turns(enter_heads(rng), 10 * rounds)
    for base in ("forward pass, one thread", "forward pass, default threads"):
        for name in [name for name in heads if name.startswith("keyed")]:
            yield compare(heads, name, base, target=0.10)
    reference = take_turns(enter_reference(rng), rounds)
    yield compare(reference, "reference bind", "the same 500 steps by torch autograd", target=0.10)
    with tempfile.TemporaryDirectory() as folder:
        photo = take_turns(enter_photo(rng, Path(folder), None), rounds)
    for name in ("Tiacam.read, registered", "Tiacam.read, not registered"):
        for base in [other for other in photo if not other.startswith("Tiacam")]:
            yield compare(photo, name, base)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=ROOT / "results" / "speed.json")
    args = parser.parse_args()
    torch.set_num_threads(1)
    rows = list(measure(args.seed, args.rounds))
    write(
        args.out,
        command="python -m benchmarks.speed",
        seed=args.seed,
        n=args.rounds,
        rows=rows,
        sift=f"photo scaled to {SIFT_SIDE} pixels on its longer side; no matching counted",
        registry=f"{RECORDS + 1} records",
        model=load_model().id,
        threads={"torch": torch.get_num_threads(), "opencv": cv2.getNumThreads()},
    )
    for row in rows:
        print(json.dumps(row))


if __name__ == "__main__":
    main()
