"""What happens to a picture before a system sees it again: the same for all systems, and for marked pictures too."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from benchmarks.peers.identifier import Pixels

from tiacam.capture import Kind, Strength
from tiacam.capture.attacks import ATTACKS
from tiacam.evaluate.bench import SEED_STRIDE, Bench
from tiacam.evaluate.camera import is_readable
from tiacam.evaluate.captures import Order, read_corners
from tiacam.evaluate.metrics import Estimate
from tiacam.evaluate.photos import Photo
from tiacam.evaluate.record import Row
from tiacam.evaluate.shelf import Source

ATTACKED = {"JPEG (50)": "jpeg-50", "Rotation 15°": "rotation-15", "Crop (0.5)": "crop-0.5"}
CAPTURED = {
    "Screen Camera, simulated typical": Kind.SCREEN,
    "Print Camera, simulated typical": Kind.PRINT,
    "Screenshots, simulated typical": Kind.SCREENSHOT,
}
REAL = "Print Camera, real"


@dataclass(frozen=True, eq=False)
class Shown:
    """A picture's number, and the pixels that a system is shown of it."""

    picture: int
    pixels: Pixels


def show(bench: Bench, condition: str, sources: Sequence[Source]) -> list[Shown]:
    """The sources under one condition; a rectified photo gets the size of its picture."""
    if condition in ATTACKED:
        return attack(bench, ATTACKED[condition], sources)
    what, _, form = condition.rpartition(", ")
    if what == REAL:
        photos, pictures = bench.real_photos("print"), bench.registered
    else:
        photos, pictures = capture(bench, CAPTURED[what], sources), tuple(sources)
    usable = (photo for photo in photos if fits(photo, form) and is_readable(photo))
    return [view(photo, pictures[photo.picture], form) for photo in usable]


def unreadable_rows(bench: Bench, part: str, condition: str, shown: Sequence[Shown]) -> Iterator[Row]:
    """How many real photos could not be shown, if any; all other conditions are made here and always can."""
    what, _, form = condition.rpartition(", ")
    wanted = [photo for photo in bench.real_photos("print") if what == REAL and fits(photo, form)]
    if len(wanted) > len(shown):
        lost = Estimate(float(len(wanted) - len(shown)), None, None)
        yield Row.of(f"{part}, {condition}", "unreadable photos", lost)


def attack(bench: Bench, name: str, sources: Sequence[Source]) -> list[Shown]:
    seeds = (bench.seed * SEED_STRIDE + number for number in range(len(sources)))
    changed = (
        ATTACKS[name].apply(source.open().pixels, seed) for source, seed in zip(sources, seeds, strict=True)
    )
    return [Shown(number, pixels) for number, pixels in enumerate(changed)]


def capture(bench: Bench, kind: Kind, sources: Sequence[Source]) -> list[Photo]:
    orders = [
        Order(source, kind, Strength.TYPICAL, bench.seed * SEED_STRIDE + number)
        for number, source in enumerate(sources)
    ]
    developed = bench.darkroom.develop(orders)
    return [
        Photo(number, order.source.name, encoded, read_corners(corners))
        for number, (order, (corners, encoded)) in enumerate(zip(orders, developed, strict=True))
    ]


def fits(photo: Photo, form: str) -> bool:
    return form == "raw" or photo.corners is not None


def view(photo: Photo, source: Source, form: str) -> Shown:
    if form == "raw":
        return Shown(photo.picture, photo.open().pixels)
    return Shown(photo.picture, photo.rectified(source.open().size))


def conditions(bench: Bench, *, real: bool) -> list[str]:
    """All conditions that the data allow; marked pictures were never printed, so they have no real photos."""
    taken = [REAL] if real and bench.real_photos("print") else []
    return [*ATTACKED, *(f"{what}, {form}" for what in (*CAPTURED, *taken) for form in ("raw", "rectified"))]
