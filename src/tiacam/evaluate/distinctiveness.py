"""Different pictures that are alike: does one read the other's message? The paper asks it of pictures of one caption.

Each part is a list of pairs. The first picture is registered; the second is read with that record.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from tiacam.evaluate.bench import Bench
from tiacam.evaluate.captioned import alike_captions
from tiacam.evaluate.metrics import (
    Estimate,
    bit_accuracy,
    bootstrap,
    estimate_mean,
    estimate_rate,
    exact_recovery,
    false_claim_rate,
)
from tiacam.evaluate.paper import SAME_CAPTION_BITS, SAME_CAPTION_COSINE
from tiacam.evaluate.record import Row
from tiacam.evaluate.table import Table

MOST = 200  # pairs a part, as in the paper
# With the photo's secret as in Flickr8k, or the bare number as in Flickr30k. Bare numbers of other collections are
# shorter (Visual Genome) or have leading zeros (COCO); Flickr30k's few of less than nine digits are passed over.
FLICKR_NAME = re.compile(r"(\d{6,})_[0-9a-f]{8,}|([1-9]\d{8,9})$")
# Flickr numbers all pictures of the world in one sequence: two of a collection are rarely so near by chance.
SAME_SITTING = 500

Pairs = list[tuple[int, int]]  # registered, shown


def itself(bench: Bench) -> Pairs:
    return [(number, number) for number in range(min(MOST, bench.n))]


def unrelated(bench: Bench) -> Pairs:
    return [(number, (number + bench.n // 2) % bench.n) for number in range(min(MOST, bench.n))]


def nearest(bench: Bench) -> Pairs:
    """The pairs that the features find most alike, each picture registered at most once."""
    best = (bench.originals * bench.features[bench.nearest[: bench.n]]).sum(axis=1)
    order = np.argsort(-best)[:MOST].tolist()
    return [(number, int(bench.nearest[number])) for number in order]


def same_caption(bench: Bench) -> Pairs:
    """The pairs whose captions are most alike, each picture in at most one of them."""
    captions = [bench.captions.get(source.stem, ()) for source in bench.shelf.sources]
    return alike_captions(captions, MOST)


def consecutive(bench: Bench) -> Pairs:
    """Pictures that one photographer uploaded one after the other, by their numbers on Flickr."""
    matches = [(FLICKR_NAME.match(source.stem), number) for number, source in enumerate(bench.shelf.sources)]
    ranked = sorted((int(match.group(1) or match.group(2)), number) for match, number in matches if match)
    gaps = pairwise(ranked)
    return [(a, b) for (first, a), (second, b) in gaps if second - first <= SAME_SITTING][:MOST]


FINDERS: dict[str, Callable[[Bench], Pairs]] = {
    "the picture itself": itself,
    "same caption": same_caption,
    "consecutive shots": consecutive,
    "nearest neighbour": nearest,
    "unrelated": unrelated,
}
NEEDS = {
    "same caption": "no captions beside the data: NAME_captions.jsonl beside NAME.tar, or captions.jsonl in the folder",
    "consecutive shots": "no names with Flickr's numbers in the data: use Flickr8k or Flickr30k",
}
NO_PAIRS = "no two of these pictures have captions that say the same: take more with --n"


def measure(bench: Bench, part: str) -> Iterator[Row]:
    pairs = FINDERS[part](bench)
    cosines = pair_cosines(bench, pairs)
    printed = part == "same caption"
    yield Row.of(part, "pairs", Estimate(float(len(pairs)), None, None))
    yield Row.of(
        part, "cosine mean", estimate_mean(cosines, bench.seed), SAME_CAPTION_COSINE if printed else None
    )
    yield Row.of(part, "cosine p95", bootstrap(cosines, lambda sample: np.percentile(sample, 95), bench.seed))
    yield Row.of(part, "cosine max", Estimate(float(cosines.max()), None, None))
    yield from reference_rows(bench, part, pairs, SAME_CAPTION_BITS if printed else None)
    yield keyed_row(bench, part, pairs)


def pair_cosines(bench: Bench, pairs: Pairs) -> NDArray[np.float32]:
    first, second = (np.array(side) for side in zip(*pairs, strict=True))
    return np.asarray((bench.features[first] * bench.features[second]).sum(axis=1))


def reference_rows(bench: Bench, part: str, pairs: Pairs, paper: float | None) -> Iterator[Row]:
    registered, shown = (list(side) for side in zip(*pairs, strict=True))
    references = bench.references()
    written, read = references.messages[registered], references.read(bench.features[shown], registered)
    accuracy = estimate_mean(bit_accuracy(read, written), bench.seed)
    yield Row.of(part, "reference bit accuracy", accuracy, paper)
    yield Row.of(part, "reference exact", estimate_rate(exact_recovery(read, written)))


def keyed_row(bench: Bench, part: str, pairs: Pairs) -> Row:
    """Claims by the product, asked about the one record: genuine for the picture itself, false for all others."""
    desk = bench.desk_of(first for first, _ in pairs)
    claims = [desk.confirms(bench.registered[second].place, first) for first, second in pairs]
    if part == "the picture itself":
        return Row.of(part, "keyed exact", estimate_rate(np.array(claims, np.float64)))
    return Row.of(part, "keyed claims", false_claim_rate(float(sum(claims)), len(claims)))


def obstacle(bench: Bench, part: str) -> str | None:
    if part not in NEEDS or FINDERS[part](bench):
        return None
    captioned = part == "same caption" and any(
        source.stem in bench.captions for source in bench.shelf.sources
    )
    return NO_PAIRS if captioned else NEEDS[part]


DISTINCTIVENESS = Table(
    "distinctiveness",
    "pictures of one caption, consecutive shots, nearest neighbours: cosine and 100 bits, both heads",
    tuple(FINDERS),
    measure,
    n=1000,
    obstacle=obstacle,
)
