"""Rows that several tables share: both sides of cosines, of the default head and of the paper's head.

`owners` are the numbers of the pictures that the photos show. Three other sides stand beside every genuine number:
unregistered (the picture's record is not there), unrelated (the record of some other picture), and look-alike (the
record of the picture that is most like it).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from tiacam.evaluate.bench import BITS, Bench, Features
from tiacam.evaluate.metrics import (
    Estimate,
    bit_accuracy,
    bootstrap_groups,
    by_picture,
    estimate_rate,
    exact_recovery,
    false_claim_rate,
    summarise_photos,
    top_one,
)
from tiacam.evaluate.record import Row
from tiacam.image.loading import Source as Loadable

Owners = NDArray[np.int64]


def cosine_rows(
    bench: Bench,
    name: str,
    features: Features,
    owners: Owners,
    paper: float | None = None,
    gallery: Features | None = None,
) -> Iterator[Row]:
    """Cosines (whole frame) with the own record and with all the others, and whether the own one is nearest.

    Of a `gallery` (R, D), or else of what the product registers.
    """
    cosines = features @ (bench.registered_features if gallery is None else gallery).T  # (Q, R)
    found = summarise_photos(cosines, owners, bench.seed)
    yield Row.of(name, "cosine mean", found.genuine_mean, paper)
    yield Row.of(name, "cosine p5", found.genuine_p5)
    yield Row.of(name, "impostor cosine mean", found.impostor_mean)
    yield Row.of(name, "impostor cosine p99.9", found.impostor_p999)
    yield Row.of(name, "impostor cosine max", found.impostor_max)
    yield Row.of(name, "top-1", estimate_rate(by_picture(top_one(cosines, owners), owners)))


def keyed_rows(
    bench: Bench, name: str, photos: Sequence[Loadable], owners: Owners, lengths: Sequence[int] | None = None
) -> Iterator[Row]:
    """The default head: a message comes back whole or not at all, so exact recovery is all there is to count."""
    for bits in lengths or (BITS,):
        answers = bench.desk(bits).read(photos)
        suffix = length_suffix(bits, lengths)
        exact = estimate_rate(by_picture(answers.right(owners), owners))
        yield Row.of(name, f"keyed exact{suffix}", exact)
        if bits == BITS:
            yield Row.of(name, "another record claimed", rate_of(answers.wrong(owners), owners))
    yield from false_claim_rows(bench, name, photos, owners)


def false_claim_rows(bench: Bench, name: str, photos: Sequence[Loadable], owners: Owners) -> Iterator[Row]:
    """What the product claims without the own record; of each picture one photo, for more are no further trials."""
    pictures, first = np.unique(owners, return_index=True)
    shown = [photos[index] for index in first]
    strangers = bench.read_as_strangers(shown, pictures.tolist())
    yield Row.of(name, "unregistered keyed claims", rate_of(strangers.claimed >= 0, pictures))
    desk, alike = bench.desk(), bench.nearest[pictures]
    confirmed = [desk.confirms(photo, int(other)) for photo, other in zip(shown, alike, strict=True)]
    yield Row.of(name, "look-alike keyed claims", rate_of(np.array(confirmed), pictures))


def rate_of(claims: NDArray[np.generic], owners: Owners) -> Estimate:
    """False claims, photos of one picture counting as one look-up."""
    outcomes = by_picture(np.asarray(claims, np.float64), owners)
    return false_claim_rate(float(outcomes.sum()), len(outcomes))


def reference_rows(
    bench: Bench,
    name: str,
    features: Features,
    owners: Owners,
    lengths: Sequence[int] | None = None,
    paper: dict[int, float] | None = None,
) -> Iterator[Row]:
    """The paper's head with the picture's own record, with that of the next picture, and with the look-alike's."""
    count = len(bench.features)
    sides = {"": owners, "unrelated ": (owners + 1) % count, "look-alike ": bench.nearest[owners]}
    for bits in lengths or (BITS,):
        references, suffix = bench.references(bits), length_suffix(bits, lengths)
        for prefix, records in sides.items():
            written = references.messages[records]
            read = references.read(features, records.tolist())
            accuracy = bootstrap_groups(bit_accuracy(read, written), owners, np.mean, bench.seed)
            printed = None if prefix else (paper or {}).get(bits)
            yield Row.of(name, f"{prefix}reference bit accuracy{suffix}", accuracy, printed)
            exact = by_picture(exact_recovery(read, written), owners)
            yield Row.of(name, f"{prefix}reference exact{suffix}", estimate_rate(exact))


def length_suffix(bits: int, lengths: Sequence[int] | None) -> str:
    """How a metric names the length of the message, where a table compares lengths."""
    return "" if lengths is None else f", {bits} bits"
