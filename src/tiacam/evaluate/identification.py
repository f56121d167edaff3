"""Which registered picture does a photo show, and how does the answer depend on how many are registered?

Top-1 and the rates of true accepts are those of features: of the whole frame (raw), of the best of all that the
product looks at before it aligns (located), of the true corners (rectified). `keyed exact` is what the product reads.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from tiacam.capture import Strength
from tiacam.evaluate.bench import Bench
from tiacam.evaluate.camera import ROWS, is_readable
from tiacam.evaluate.metrics import (
    Estimate,
    accepted_at,
    by_picture,
    estimate_rate,
    split_cosines,
    top_one,
)
from tiacam.evaluate.photos import Photo, owners
from tiacam.evaluate.record import Row
from tiacam.evaluate.rows import keyed_rows
from tiacam.evaluate.table import Table
from tiacam.image.loading import Source as Loadable

COMPARISON_RATES = (1e-1, 1e-2, 1e-3, 1e-4)
LOOKUP_RATE = 0.01
SIZES = (10, 100, 1000, 10_000, 100_000)
BIN = 0.05
QUERIES = 60  # pictures whose photos are looked up; the others only fill the gallery
SIMULATED = {f"{row}, simulated typical": kind for kind, row in ROWS.items()}
REAL = {f"{row}, real": str(kind) for kind, row in ROWS.items()} | {"Photos, real": ""}
TIMED = 10  # look-ups
FORMS = ("raw", "located", "rectified")
PARTS = tuple(f"{part}, {form}" for part in (*SIMULATED, *REAL) for form in FORMS)

Floats = NDArray[np.floating]


def measure(bench: Bench, part: str) -> Iterator[Row]:
    taken = take_photos(bench, part)
    photos = [photo for photo in taken if is_readable(photo)]
    if len(photos) < len(taken):
        yield Row.of(part, "unreadable photos", Estimate(float(len(taken) - len(photos)), None, None))
    if photos:
        yield from photo_rows(bench, part, photos)


def photo_rows(bench: Bench, part: str, photos: Sequence[Photo]) -> Iterator[Row]:
    images = [photo.rectified() if part.endswith("rectified") else photo.place for photo in photos]
    numbers = np.array(owners(photos))
    cosines = score(bench, part, images)
    for size in gallery_sizes(len(bench.registered)):
        yield from size_rows(f"{part}, {size} records", *shrink(cosines, numbers, size, bench.seed), numbers)
    yield from roc_rows(part, cosines, numbers)
    yield from histogram_rows(part, cosines, numbers)
    if part.endswith("located"):
        return  # the product reads a raw photo in its own way, whatever that is
    name = f"{part}, {len(bench.registered)} records"
    yield from keyed_rows(bench, name, images, numbers)
    yield Row.of(name, "bytes a record", Estimate(bench.desk().bytes_a_record, None, None))
    yield Row.of(name, "milliseconds a look-up", Estimate(bench.time_reading(images[:TIMED]), None, None))


def score(bench: Bench, part: str, images: Sequence[Loadable]) -> Floats:
    """Cosines (Q, R) of the photos with all records."""
    if part.endswith("located"):
        return bench.score_located(images)
    return np.asarray(bench.look_at(part, images) @ bench.registered_features.T)


def take_photos(bench: Bench, part: str) -> list[Photo]:
    """The photos of a part; of simulated ones a third of the rounds that Table 2 has, for the gallery is larger."""
    source, _, form = part.rpartition(", ")
    if source in REAL:
        photos = bench.real_photos(REAL[source])
    else:
        photos = bench.captures(SIMULATED[source], Strength.TYPICAL, rounds=1, first=QUERIES)
    return [photo for photo in photos if form != "rectified" or photo.corners is not None]


def gallery_sizes(records: int) -> list[int]:
    """Powers of ten below the number of records, and that number."""
    return [size for size in SIZES if size < records] + [records]


def shrink(
    cosines: Floats, numbers: NDArray[np.int64], size: int, seed: int
) -> tuple[Floats, NDArray[np.int64]]:
    """Cosines with the own record (column 0) and size - 1 of the others, drawn for each photo."""
    genuine, impostor = split_cosines(cosines, numbers)
    rng = np.random.default_rng([seed, size])
    drawn = rng.permuted(impostor, axis=1)[:, : size - 1]
    return np.column_stack([genuine, drawn]), np.zeros(len(numbers), np.int64)


def size_rows(
    name: str, cosines: Floats, own: NDArray[np.int64], numbers: NDArray[np.int64]
) -> Iterator[Row]:
    yield Row.of(name, "top-1", estimate_rate(by_picture(top_one(cosines, own), numbers)))
    genuine, impostor = split_cosines(cosines, own)
    accepted = accepted_at(genuine, impostor.max(axis=1), LOOKUP_RATE)
    yield Row.of(name, "accepted at 1% false a look-up", estimate_rate(by_picture(accepted, numbers)))


def roc_rows(part: str, cosines: Floats, numbers: NDArray[np.int64]) -> Iterator[Row]:
    """Accepted photos at stated shares of accepted comparisons with other records, as far as there are enough."""
    genuine, impostor = split_cosines(cosines, numbers)
    for rate in COMPARISON_RATES:
        if rate * impostor.size >= 1:
            accepted = by_picture(accepted_at(genuine, impostor, rate), numbers)
            yield Row.of(part, f"accepted at {rate:g} false a comparison", estimate_rate(accepted))


def histogram_rows(part: str, cosines: Floats, numbers: NDArray[np.int64]) -> Iterator[Row]:
    """Shares of cosines in bins of 0.05, both sides; empty bins have no row."""
    edges = np.arange(-1, 1 + BIN / 2, BIN)
    for side, values in zip(("genuine", "impostor"), split_cosines(cosines, numbers), strict=True):
        counts, _ = np.histogram(np.clip(values, -1, 1), edges)
        for low, count in zip(edges[:-1], counts, strict=True):
            if count:
                share = Estimate(float(count / values.size), None, None)
                yield Row.of(part, f"{side} share from {low:+.2f}", share)


def obstacle(bench: Bench, part: str) -> str | None:
    source = part.rpartition(", ")[0]
    if source in SIMULATED:
        return "the data are photos: add pictures to --data for simulated ones" if bench.photos_only else None
    return None if take_photos(bench, part) else "no such photos in --data"


IDENTIFICATION = Table(
    "identification",
    "top-1, true accepts and claims against the number of registered pictures",
    PARTS,
    measure,
    n=1000,
    obstacle=obstacle,
)
