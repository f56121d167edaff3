"""Pictures with nothing in them: clouds of noise, gradients, plain colours. Are they taken for each other?

    OMP_NUM_THREADS=2 python -m benchmarks.smooth_fields

Half of the pictures are registered, all are looked up by the whole of `Tiacam.read`. A claim of another picture is an
error. The rows count them for each kind, with their 95% bounds to either side, beside the registered pictures that were
found as they are and the nearest cosines; then by the details that the claimed record has. Such pictures are as hard as
they come: a network trained on photos has little to tell them apart by. Written: results/smooth-fields.json.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from benchmarks.record import ROOT, write
from benchmarks.registering import register_all
from benchmarks.unregistered import upper_bound
from numpy.typing import NDArray
from scipy import stats
from tqdm import tqdm

from tiacam import Submission, Tiacam, Verdict
from tiacam.align import Landmarks
from tiacam.align.landmarks import MOST
from tiacam.watermark import Message

SIDE = 512
SEED = 1971
Row = dict[str, Any]
Pixels = NDArray[np.uint8]


def clouds(rng: np.random.Generator, grains: int, channels: int) -> Pixels:
    """White noise of `grains` × `grains` cells, enlarged smoothly to the whole range of tones."""
    cells = rng.normal(size=(grains, grains, channels)).astype(np.float32)
    smooth = cv2.resize(cells, (SIDE, SIDE), interpolation=cv2.INTER_CUBIC).reshape(SIDE, SIDE, channels)
    low, high = smooth.min(), smooth.max()
    return np.round(255 * np.broadcast_to((smooth - low) / (high - low), (SIDE, SIDE, 3))).astype(np.uint8)


def gradient(rng: np.random.Generator, *, round_: bool) -> Pixels:
    """From one colour to another, along a line or outwards from a point."""
    y, x = np.mgrid[0:SIDE, 0:SIDE] / (SIDE - 1)  # (SIDE, SIDE)
    if round_:
        centre = rng.uniform(0.2, 0.8, 2)
        way = np.hypot(x - centre[0], y - centre[1])
    else:
        angle = rng.uniform(0, 2 * np.pi)
        way = x * np.cos(angle) + y * np.sin(angle)
    way = ((way - way.min()) / (way.max() - way.min()))[..., None]
    first, last = rng.integers(0, 256, (2, 3))
    return np.round(first + way * (last - first)).astype(np.uint8)


def plain(rng: np.random.Generator) -> Pixels:
    return np.broadcast_to(rng.integers(0, 256, 3), (SIDE, SIDE, 3)).astype(np.uint8)


def kinds() -> dict[str, Callable[[np.random.Generator], Pixels]]:
    """What is drawn, by name."""
    found: dict[str, Callable[[np.random.Generator], Pixels]] = {}
    for grains in (3, 6, 12, 24):
        for name, channels in (("grey", 1), ("colour", 3)):
            found[f"{name} clouds, {grains} cells a side"] = lambda rng, grains=grains, channels=channels: (
                clouds(rng, grains, channels)
            )
    found["gradient along a line"] = lambda rng: gradient(rng, round_=False)
    found["gradient from a point"] = lambda rng: gradient(rng, round_=True)
    found["plain colour"] = plain
    return found


@dataclass(frozen=True)
class Drawn:
    kind: str
    pixels: Pixels
    registered: bool


def draw(each: int, seed: int) -> list[Drawn]:
    """As many of every kind, the first half of them to be registered."""
    rng = np.random.default_rng(seed)
    return [
        Drawn(kind, make(rng), number < each // 2) for kind, make in kinds().items() for number in range(each)
    ]


def register(session: Tiacam, drawn: Sequence[Drawn]) -> dict[str, Drawn]:
    """Each picture to be registered, by the id of its record."""
    mine = [one for one in drawn if one.registered]
    message = Message.from_int(4711, 100)
    records = register_all(session, (Submission(one.pixels, message) for one in mine))
    return {record.id: one for one, record in zip(mine, records, strict=True)}


def details(session: Tiacam, record_id: str) -> int:
    """How many landmarks a record has."""
    return len(Landmarks.unpack(session.registry.get(record_id).landmarks))


@dataclass(frozen=True)
class Answer:
    drawn: Drawn
    verdict: Verdict
    shown: Drawn | None  # what was claimed
    details: int  # of the record that was claimed

    @property
    def false(self) -> bool:
        return self.shown is not None and self.shown is not self.drawn


def ask(session: Tiacam, drawn: Sequence[Drawn], records: dict[str, Drawn]) -> Iterator[Answer]:
    for one in tqdm(drawn, "pictures", disable=None):
        verdict = session.read(one.pixels)
        named = verdict.record_id
        yield Answer(one, verdict, records[named] if named else None, details(session, named) if named else 0)


def describe(kind: str, answers: Sequence[Answer]) -> Row:
    """Of one kind: other pictures claimed, registered ones found, and how near the others came."""
    others = [answer for answer in answers if not answer.drawn.registered]
    own = [answer for answer in answers if answer.drawn.registered]
    false = [answer for answer in others if answer.false]
    cosines = np.array([answer.verdict.cosine for answer in others])
    return {
        "kind": kind,
        "unregistered": len(others),
        "claimed": len(false),
        "claimed by landmarks": sum(answer.verdict.inliers > 0 for answer in false),
        "low": lower_bound(len(false), len(others)),
        "high": upper_bound(len(false), len(others)) if len(false) < len(others) else 1.0,
        "registered": len(own),
        "found": sum(answer.shown is answer.drawn for answer in own),
        "taken for another": sum(answer.false for answer in own),
        "nearest cosine, median": round(float(np.median(cosines)), 3),
        "nearest cosine, largest": round(float(cosines.max()), 3),
    }


def lower_bound(hits: int, count: int) -> float:
    return float(stats.beta.ppf(0.05, hits, count - hits + 1)) if hits else 0.0


def by_details(answers: Sequence[Answer]) -> Iterator[Row]:
    """The false claims by the number of landmarks of the record that was claimed."""
    false = [answer.details for answer in answers if answer.false]
    for low, high in pairwise((0, 20, 50, 100, MOST + 1)):
        count = sum(low <= found < high for found in false)
        yield {"landmarks of the record claimed": f"{low} to {high - 1}", "false claims": count}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--each", type=int, default=18, help="pictures of every kind; half are registered")
    parser.add_argument("--model", default=None, help="a shipped model (default: the default one)")
    parser.add_argument("--out", type=Path, default=ROOT / "results" / "smooth-fields.json")
    options = parser.parse_args()
    drawn = draw(options.each, SEED)
    with (
        tempfile.TemporaryDirectory() as folder,
        Tiacam.open(Path(folder) / "registry.tiacam", model=options.model) as session,
    ):
        answers = list(ask(session, drawn, register(session, drawn)))
        model = session.model.id
    rows = [describe("all", answers)]
    rows += [describe(kind, [one for one in answers if one.drawn.kind == kind]) for kind in kinds()]
    rows += by_details(answers)
    command = f"python -m benchmarks.smooth_fields --each {options.each}"
    write(options.out, command=command, seed=SEED, n=len(drawn), rows=rows, model=model, stated=1e-6)
    for row in rows:
        print(row)


if __name__ == "__main__":
    main()
