"""How often is a record claimed for a picture that it does not show? Millions of comparisons of real pictures.

    OMP_NUM_THREADS=2 python -m benchmarks.impostors --cache CACHE --records heldout/coco.tar coco/shard-*.tar \
        --probes flickr8k.tar --captions train/captions.jsonl.gz

Every picture of the record archives is registered once; pairs whose cosine reaches the least that is tried at all are
really read (code and seal) and then decided with the model card's null. Features come from benchmarks.scale_features.

- unrelated: every probe against every record. None of the probes was trained on, and none is registered but for one
  photograph that is in both collections; it is left out and named.
- nearest: every record's picture against the most similar other record.
- same caption: two pictures that somebody described with the very same sentence.
- consecutive: two probes whose numbers at Flickr are at most 100 apart, so mostly of one event by one photographer.

A claim counts in three ways: `alone`, as if this were the only comparison, and in a registry of all records, with one
view a photo (the laxest that the product can be) and with as many as a reader counts; the last two again after the
claim's details were asked, as the reader does where a claim is not sure beyond doubt (impostor_details). Written:
results/impostors.json.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.different_pictures import HEAD, MESSAGE, SECRET, Meeting, rate
from benchmarks.impostor_details import Named, Shelf, surviving
from benchmarks.record import ROOT, write
from benchmarks.scale_features import features_of
from numpy.typing import NDArray
from tqdm import tqdm

from tiacam.app.sights import LOOKS
from tiacam.data import read_captions, read_names
from tiacam.model import load_model
from tiacam.pipeline import LEAST_COSINE
from tiacam.watermark import Decision, Mark

CHUNK = 512
CONSECUTIVE = 100
LEVELS = (0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9)

# Looked at by eye: the same photograph is in both collections, so claiming it is right.
SAME_PHOTOGRAPH = {
    ("3371266735_43150bce52", "000000556568"),
    ("3546891929_f31a99cd0d", "000000464303"),
    ("3169591322_d0b6d0cd04", "000000190859"),
    ("2896483502_6f807bae9e", "000000265503"),
}

Features = NDArray[np.float32]
Row = dict[str, Any]
Pair = tuple[int, int]


@dataclass(frozen=True)
class Collection:
    """Pictures by name with their unit features, as they are seen and as they are registered."""

    names: list[str]
    features: Features
    registered: Features
    shelf: Shelf


class Marks:
    """Every record's mark, made when it is first needed."""

    def __init__(self, features: Features) -> None:
        self.features = features  # as registered
        self._marks: dict[int, Mark] = {}

    def meet(self, probe: int, feature: Features, record: int) -> Meeting:
        if record not in self._marks:
            self._marks[record] = HEAD.bind(self.features[record], MESSAGE, SECRET)
        reading = HEAD.read(feature, self._marks[record], SECRET)
        found = None if reading.message is None else float(reading.correlation)
        return Meeting(probe, record, float(self.features[record] @ feature), found)


def load(cache: Path, model: Any, archives: Sequence[Path]) -> Collection:
    """The pictures of some archives; of one whose features were taken in part, the first ones."""

    def take(*, registered: bool) -> list[Features]:
        found = [features_of(cache, model, archive, registered=registered) for archive in archives]
        wide = [part.astype(np.float32) for part in found]
        return [part / np.linalg.norm(part, axis=1, keepdims=True) for part in wide]

    seen, known = take(registered=False), take(registered=True)
    sizes = [min(map(len, both)) for both in zip(seen, known, strict=True)]
    names = [read_names([archive])[:size] for archive, size in zip(archives, sizes, strict=True)]
    return Collection(
        [name for some in names for name in some],
        np.concatenate([part[:size] for part, size in zip(seen, sizes, strict=True)]),
        np.concatenate([part[:size] for part, size in zip(known, sizes, strict=True)]),
        Shelf.of(archives),
    )


def near_pairs(probes: Features, records: Features, levels: NDArray[np.int64]) -> Iterator[Pair]:
    """All pairs from the least cosine on; counts into `levels` how many reach each level."""
    for start in tqdm(range(0, len(probes), CHUNK), "comparing", disable=None):
        cosines = probes[start : start + CHUNK] @ records.T  # (CHUNK, N)
        levels += [int((cosines >= level).sum()) for level in LEVELS]
        yield from ((start + row, column) for row, column in np.argwhere(cosines >= LEAST_COSINE).tolist())


def nearest_pairs(features: Features) -> Iterator[Pair]:
    """Every picture and the most similar other one."""
    for start in tqdm(range(0, len(features), CHUNK), "nearest", disable=None):
        cosines = features[start : start + CHUNK] @ features.T
        rows = np.arange(len(cosines))
        cosines[rows, start + rows] = -1
        yield from zip((start + rows).tolist(), cosines.argmax(axis=1).tolist(), strict=True)


def same_caption_pairs(names: Sequence[str], captions: Path) -> list[Pair]:
    numbers = {name: number for number, name in enumerate(names)}
    by_sentence: dict[str, set[int]] = defaultdict(set)
    for name, sentences in read_captions(captions):
        if name in numbers:
            for sentence in sentences:
                by_sentence[sentence.lower().strip(" .")].add(numbers[name])
    return sorted({pair for same in by_sentence.values() for pair in combinations(sorted(same), 2)})


def consecutive_pairs(names: Sequence[str]) -> list[Pair]:
    """Neighbours in the order of upload; the number before the underscore counts all uploads to Flickr."""
    order = sorted((int(name.split("_")[0]), place) for place, name in enumerate(names))
    return [(here[1], there[1]) for here, there in pairwise(order) if there[0] - here[0] <= CONSECUTIVE]


def read_all(pairs: Iterable[Pair], probes: Features, marks: Marks) -> list[Meeting]:
    """Read the pairs that come near enough to be tried; the others cannot be claimed."""
    near = [(a, b) for a, b in pairs if probes[a] @ marks.features[b] >= LEAST_COSINE]
    return [marks.meet(probe, probes[probe], record) for probe, record in tqdm(near, "reading", disable=None)]


@dataclass(frozen=True)
class Judge:
    """Which readings of one part are claims, by the feature alone and after the details were asked."""

    part: str
    decision: Decision
    probes: Collection
    records: Collection
    size: int  # records of the registry

    def summarise(self, meetings: list[Meeting], pairs: int) -> list[Row]:
        read = [m for m in meetings if m.correlation is not None]
        rows = [rate(self.part, len(read), pairs, what="pairs whose message was read", tried=len(meetings))]
        rows.append(self._rate(self._claimed(read, 1), pairs, "alone", 1))
        for views in (1, LOOKS):
            trials = views * self.size
            what = f"of {self.size} records, {views} {'view' if views == 1 else 'views'}"
            claimed = self._claimed(read, trials)
            left = surviving(claimed, trials, self.decision, self.probes.shelf, self.records.shelf)
            rows.append(self._rate(claimed, pairs, what, trials))
            rows.append({**self._rate(left, pairs, f"{what}, details asked", trials), "first": first(left)})
        return rows

    def look_ups(self, meetings: list[Meeting]) -> Iterator[Row]:
        """How many photos, not pairs, are claimed with one view."""
        claimed = self._claimed([m for m in meetings if m.correlation is not None], self.size)
        left = surviving(claimed, self.size, self.decision, self.probes.shelf, self.records.shelf)
        for what, named in (("", claimed), (", details asked", left)):
            photos = len({probe for probe, _, _ in named})
            what = f"photos claimed, of {self.size} records, 1 view{what}"
            yield rate(self.part, photos, len(self.probes.names), what=what)

    def _claimed(self, read: list[Meeting], trials: int) -> list[Named]:
        return [
            (self.probes.names[m.probe], self.records.names[m.record], m.correlation)
            for m in read
            if m.correlation is not None and self.decision.accepts(m.correlation, trials)
        ]

    def _rate(self, claimed: list[Named], pairs: int, what: str, trials: int) -> Row:
        least = round(self.decision.threshold(trials), 4)
        return rate(self.part, len(claimed), pairs, what=f"pairs claimed, {what}", correlation_needed=least)


def first(claimed: list[Named]) -> list[list[Any]]:
    """The surest ten, for looking at."""
    best = sorted(claimed, key=lambda one: -one[2])[:10]
    return [[probe, record, round(correlation, 4)] for probe, record, correlation in best]


def nearest_names(meetings: list[Meeting], probes: Collection, records: Collection) -> list[list[Any]]:
    """For looking at: whether a claim is false only an eye can tell."""
    best = sorted(meetings, key=lambda meeting: -meeting.cosine)[:10]
    return [[probes.names[m.probe], records.names[m.record], round(m.cosine, 4)] for m in best]


def quantiles(part: str, cosines: Features) -> Row:
    parts = np.percentile(cosines, [5, 50, 95, 99]).round(4).tolist()
    return {
        "part": part,
        "what": "cosines",
        "percentiles_5_50_95_99": parts,
        "largest": round(float(cosines.max()), 4),
    }


def measure(args: argparse.Namespace, model: Any) -> list[Row]:
    decision = Decision(model.card.null_dimensions)
    records, probes = load(args.cache, model, args.records), load(args.cache, model, [args.probes])
    size, marks = len(records.names), Marks(records.registered)
    levels = np.zeros(len(LEVELS), np.int64)
    pairs_near = list(near_pairs(probes.features, records.registered, levels))
    same = [(a, b) for a, b in pairs_near if (probes.names[a], records.names[b]) in SAME_PHOTOGRAPH]
    near = read_all(sorted({*pairs_near} - {*same}), probes.features, marks)
    pairs = len(probes.names) * size - len(same)
    reached = dict(zip(map(str, LEVELS), levels.tolist(), strict=True))
    rows = [{"part": "unrelated", "what": "pairs with at least this cosine", "counts": reached}]
    named = [[probes.names[a], records.names[b]] for a, b in same]
    rows.append({"part": "unrelated", "what": "the same photograph in both, left out", "pairs": named})
    judge = Judge("unrelated", decision, probes, records, size)
    rows += judge.summarise(near, pairs)
    rows.append(
        {"part": "unrelated", "what": "nearest ten pairs", "pairs": nearest_names(near, probes, records)}
    )
    rows += judge.look_ups(near)
    look_alikes: list[tuple[str, list[Pair], Collection]] = [
        ("nearest", list(nearest_pairs(records.features)), records),
        ("same caption", same_caption_pairs(records.names, args.captions), records),
        ("consecutive", consecutive_pairs(probes.names), probes),
    ]
    for part, chosen, side in look_alikes:
        if not chosen:
            continue  # no captions of these pictures
        one, other = np.array(chosen).T
        rows.append(quantiles(part, np.einsum("nd,nd->n", side.features[one], side.registered[other])))
        known = marks if side is records else Marks(side.registered)
        meetings = read_all(chosen, side.features, known)
        rows += Judge(part, decision, side, side, size).summarise(meetings, len(chosen))
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cache", type=Path, required=True)
    parser.add_argument("--records", type=Path, nargs="+", required=True)
    parser.add_argument("--probes", type=Path, required=True)
    parser.add_argument("--captions", type=Path, required=True)
    parser.add_argument("--model", default=None)
    parser.add_argument("--out", type=Path, default=ROOT / "results" / "impostors.json")
    args = parser.parse_args()
    model = load_model(args.model) if args.model else load_model()
    rows = measure(args, model)
    names = " ".join(path.name for path in args.records)
    write(
        args.out,
        command=f"python -m benchmarks.impostors --records {names} --probes {args.probes.name}",
        seed=None,
        n=next(row["trials"] for row in rows if "trials" in row),
        rows=rows,
        model=model.id,
        null_dimensions=model.card.null_dimensions,
        stated_rate=Decision(model.card.null_dimensions).false_claim_rate,
    )
    for row in rows:
        print(json.dumps(row))


if __name__ == "__main__":
    main()
