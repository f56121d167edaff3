"""The pictures and photos on which TIACam and RootSIFT are compared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.against_contest import File, Question, decode_grey
from benchmarks.camera_photos import read_pairs
from benchmarks.peers.rootsift import describe_grey
from tqdm import tqdm

from tiacam.capture import Kind, Strength
from tiacam.data.shards import members, read_names
from tiacam.evaluate.captures import Darkroom, Order
from tiacam.evaluate.shelf import Source

PHONE = "print, real"


@dataclass(frozen=True)
class Material:
    """Originals are numbered from 0, the distractors after them."""

    photos: list[Question]  # by phones, of the originals
    originals: dict[int, File]
    distractors: dict[int, File]
    names: dict[int, str]  # of the distractors
    captures: Path | None  # where simulated captures are kept

    def simulate(self, pictures: Sequence[int], kinds: Sequence[Kind]) -> list[Question]:
        """A capture of typical strength of each of these distractors and kinds; its number is its seed."""
        orders = [
            Order(Source(self.names[number], self.distractors[number]), kind, Strength.TYPICAL, seed=number)
            for kind in kinds
            for number in pictures
        ]
        developed = Darkroom(self.captures).develop(orders)
        return [
            Question(f"{order.source.name}, {order.kind}", photo, order.seed, f"{order.kind}, simulated")
            for order, (_, photo) in zip(orders, developed, strict=True)
        ]

    def plainest(self, count: int) -> dict[int, int]:
        """The distractors with the fewest SIFT keypoints, fewest first, and how many each has."""
        bar = tqdm(self.distractors.items(), "counting keypoints", mininterval=5)
        counts = {number: len(describe_grey(decode_grey(file), 0)[0]) for number, file in bar}
        return dict(sorted(counts.items(), key=lambda pair: pair[1])[:count])


def read_material(folder: Path, archive: Path, captures: Path | None, limit: int | None) -> Material:
    """The photos of a folder with `pairs.jsonl` and the pictures of a tar; `limit` makes both small, for a try."""
    pairs = read_pairs(folder)[:limit]
    originals = sorted({pair["original"] for pair in pairs})
    numbers = {name: number for number, name in enumerate(originals)}
    photos = [
        Question(pair["captured"], folder / pair["captured"], numbers[pair["original"]], PHONE)
        for pair in pairs
    ]
    first, last = len(originals), None if limit is None else 10 * limit
    return Material(
        photos=photos,
        originals={number: folder / name for name, number in numbers.items()},
        distractors=dict(enumerate(list(members(archive))[:last], first)),
        names=dict(enumerate(read_names([archive])[:last], first)),
        captures=captures,
    )
