"""Table 2: messages read from photos of screens and prints and from screenshots, simulated and real.

Every part is measured raw, the whole frame as the paper does it, and rectified by the true corners, which no user has.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence

import numpy as np

from tiacam.capture import Kind, Strength
from tiacam.errors import ImageError
from tiacam.evaluate.bench import ROUNDS, Bench
from tiacam.evaluate.metrics import Estimate
from tiacam.evaluate.paper import CAMERA_BITS, CAMERA_COSINE
from tiacam.evaluate.photos import Photo, owners
from tiacam.evaluate.record import Row
from tiacam.evaluate.rows import cosine_rows, keyed_rows, reference_rows
from tiacam.evaluate.table import Table

ROWS = {Kind.SCREEN: "Screen Camera", Kind.PRINT: "Print Camera", Kind.SCREENSHOT: "Screenshots"}
LENGTHS = (30, 100, 200)
SIMULATED = {f"{row}, simulated {s}": (kind, s) for kind, row in ROWS.items() for s in Strength}
REAL = {f"{row}, real": str(kind) for kind, row in ROWS.items()} | {"Photos, real": ""}


def measure(bench: Bench, part: str) -> Iterator[Row]:
    """Both heads and the cosines on one kind of photos, raw and rectified."""
    photos = take_photos(bench, part)
    usable = [photo for photo in photos if is_readable(photo)]
    yield Row.of(part, "photos", Estimate(float(len(photos)), None, None))
    yield Row.of(part, "records", Estimate(float(len(bench.registered)), None, None))
    if len(usable) < len(photos):
        yield Row.of(part, "unreadable photos", Estimate(float(len(photos) - len(usable)), None, None))
    if usable:
        yield from raw_rows(bench, part, usable)
    located = [photo for photo in usable if photo.corners is not None]
    if located:
        yield from rectified_rows(bench, part, located)


def take_photos(bench: Bench, part: str) -> list[Photo]:
    """Three captures of each picture where the paper is compared with, one at the other strengths."""
    if part in REAL:
        return bench.real_photos(REAL[part])
    kind, strength = SIMULATED[part]
    return bench.captures(kind, strength, rounds=ROUNDS if strength is Strength.TYPICAL else 1)


def is_readable(photo: Photo) -> bool:
    """Whether a photo can be decoded; one that cannot is named, counted and left out."""
    try:
        photo.open()
    except ImageError as error:
        print(f"left out: {error}", file=sys.stderr)
        return False
    return True


def raw_rows(bench: Bench, part: str, photos: Sequence[Photo]) -> Iterator[Row]:
    """As the photo came; what the paper printed stands beside the real photos and the typical simulated ones."""
    name, numbers = f"{part}, raw", np.array(owners(photos))
    row = part.partition(",")[0]
    printed = part in REAL or part.endswith(Strength.TYPICAL)
    features = bench.look_at(name, [photo.place for photo in photos])
    cosine = CAMERA_COSINE.get(row) if printed else None
    yield from cosine_rows(bench, name, features, numbers, cosine)
    yield from keyed_rows(bench, name, [photo.place for photo in photos], numbers, lengths_of(part))
    bits = CAMERA_BITS.get(row) if printed else None
    yield from reference_rows(bench, name, features, numbers, lengths_of(part), bits)


def rectified_rows(bench: Bench, part: str, photos: Sequence[Photo]) -> Iterator[Row]:
    name, numbers = f"{part}, rectified", np.array(owners(photos))
    flat = [photo.rectified() for photo in photos]
    features = bench.look_at(name, flat)
    yield from cosine_rows(bench, name, features, numbers)
    yield from keyed_rows(bench, name, flat, numbers, lengths_of(part))
    yield from reference_rows(bench, name, features, numbers, lengths_of(part))


def lengths_of(part: str) -> tuple[int, ...]:
    """All three lengths where the paper can be compared with; 100 bits, but named, elsewhere."""
    return LENGTHS if part in REAL or part.endswith(Strength.TYPICAL) else (100,)


def obstacle(bench: Bench, part: str) -> str | None:
    """Real parts need photos of that medium; simulated ones are for pictures without photos of their own."""
    if part in SIMULATED:
        return "the data are photos: add pictures to --data for simulated ones" if bench.photos_only else None
    medium = REAL[part] or "unnamed"
    return None if bench.real_photos(REAL[part]) else f"no photos of medium {medium} in --data"


CAMERA = Table(
    "camera",
    "30, 100, 200 bits from screens, prints and screenshots, simulated and real, both heads (Table 2)",
    (*SIMULATED, *REAL),
    measure,
    n=20,
    obstacle=obstacle,
)
