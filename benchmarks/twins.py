"""Look-alikes in one registry: which of two is named, and is one named for the other where only that one is registered?

    python -m benchmarks.twins --pictures flickr8k.tar --others heldout/coco.tar

Twins are the pairs of different photos whose features are nearest: bursts, one scene, one pose. Both of each pair are
registered among the others, a screen and a print of each are photographed (simulated, typical) and read as a user
reads. Then the same photos against a registry that has the twin alone: every claim there is a false one. The same
photograph twice (cosine above 0.95) is no pair. Written: results/twins.json.
"""

from __future__ import annotations

import argparse
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.record import ROOT, write
from benchmarks.registering import register_all
from tqdm import tqdm

from tiacam import Submission, Tiacam
from tiacam.capture import Kind, Strength, simulate
from tiacam.data.shards import members, read_pictures
from tiacam.evaluate.metrics import estimate_rate
from tiacam.image import load
from tiacam.model import DEFAULT_MODEL, load_model
from tiacam.watermark import Message

SAME = 0.95  # cosine from which on two files hold one photograph
MESSAGE = Message.from_int(4711, 100)
KINDS = (Kind.SCREEN, Kind.PRINT)

Row = dict[str, Any]


@dataclass(frozen=True)
class Twins:
    """Two pictures by their numbers, and the cosine of their features."""

    first: int
    second: int
    cosine: float


@dataclass(frozen=True)
class Shot:
    """A photo of one of two twins."""

    twins: Twins
    shown: int
    kind: Kind
    photo: bytes

    @property
    def other(self) -> int:
        return self.twins.second if self.shown == self.twins.first else self.twins.first


def find_twins(features: np.ndarray[Any, np.dtype[np.float32]], count: int) -> list[Twins]:
    """The nearest pairs, no picture in two of them."""
    cosines = np.triu(features @ features.T, 1)
    cosines[cosines > SAME] = 0.0
    rows, columns = np.nonzero(cosines > np.partition(cosines.ravel(), -20 * count)[-20 * count])
    found, taken = [], set[int]()
    for index in np.argsort(-cosines[rows, columns]):
        first, second = int(rows[index]), int(columns[index])
        if taken.isdisjoint({first, second}):
            found.append(Twins(first, second, float(cosines[first, second])))
            taken |= {first, second}
    return found[:count]


def photograph(pairs: Sequence[Twins], files: dict[int, bytes], seed: int) -> Iterator[Shot]:
    for number, twins in enumerate(pairs):
        for shown in (twins.first, twins.second):
            for kind in KINDS:
                made = simulate(load(files[shown]).pixels, kind, Strength.TYPICAL, seed=seed + number)
                yield Shot(twins, shown, kind, made.encoded)


def register(session: Tiacam, files: dict[int, bytes], others: Sequence[bytes]) -> dict[str, int]:
    """Which picture each record shows; the others have the number -1."""
    numbered = [*files.items(), *((-1, one) for one in others)]
    records = register_all(session, (Submission(content, MESSAGE) for _, content in numbered))
    return {record.id: number for (number, _), record in zip(numbered, records, strict=True)}


def name(session: Tiacam, shot: Shot, shown: dict[str, int]) -> str:
    verdict = session.read(shot.photo)
    if verdict.record_id is None:
        return "none"
    found = shown[verdict.record_id]
    return "own" if found == shot.shown else "twin" if found == shot.other else "another"


def describe(registered: str, shots: Sequence[Shot], named: Sequence[str]) -> Iterator[Row]:
    """Counts by kind of photo; intervals count a pair as one trial."""
    for kind in KINDS:
        chosen = [
            (shot.twins.first, one) for shot, one in zip(shots, named, strict=True) if shot.kind is kind
        ]
        counts = Counter(one for _, one in chosen)
        for outcome in ("own", "twin", "another", "none"):
            pairs = {first: [one == outcome for pair, one in chosen if pair == first] for first, _ in chosen}
            share = estimate_rate(np.array([np.mean(hits) for hits in pairs.values()]))
            yield {
                "registered": registered, "photos": kind.value, "named": outcome, "hits": counts[outcome],
                "n": len(chosen), "value": share.value, "low": share.low, "high": share.high,
            }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pictures", type=Path, required=True, help="tar of pictures with look-alikes")
    parser.add_argument("--others", type=Path, required=True, help="tar of pictures to register beside them")
    parser.add_argument("--pairs", type=int, default=60)
    parser.add_argument("--gallery", type=int, default=400)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=ROOT / "results" / "twins.json")
    options = parser.parse_args()

    model = load_model(DEFAULT_MODEL, threads=1)
    pairs = find_twins(model.extract(read_pictures([options.pictures], model.card.input_size)), options.pairs)
    wanted = {number for twins in pairs for number in (twins.first, twins.second)}
    files = {number: one for number, one in enumerate(members(options.pictures)) if number in wanted}
    others = list(islice(members(options.others), options.gallery))
    shots = list(
        tqdm(photograph(pairs, files, options.seed), total=4 * len(pairs), desc="photos", mininterval=10)
    )
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as folder:
        with Tiacam.open(Path(folder) / "both.tiacam") as session:
            shown = register(session, files, others)
            named = [name(session, shot, shown) for shot in tqdm(shots, desc="both", mininterval=10)]
        rows += describe("both", shots, named)
        outcomes = {}
        for side in ("first", "second"):
            part = {getattr(twins, side): files[getattr(twins, side)] for twins in pairs}
            with Tiacam.open(Path(folder) / f"{side}.tiacam") as session:
                shown = register(session, part, others)
                for shot in tqdm(shots, desc=f"the {side} alone", mininterval=10):
                    if shot.shown not in part:
                        outcomes[id(shot)] = name(session, shot, shown)
        rows += describe("the twin alone", shots, [outcomes[id(shot)] for shot in shots])
    write(
        options.out,
        command=f"python -m benchmarks.twins --pictures {options.pictures.name} --others {options.others.name} "
        f"--pairs {options.pairs} --gallery {options.gallery} --seed {options.seed}",
        seed=options.seed,
        n=len(pairs),
        rows=rows,
        model=model.id,
        cosines=[round(twins.cosine, 3) for twins in pairs],
    )
    for row in rows:
        print(row)


if __name__ == "__main__":
    main()
