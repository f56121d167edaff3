"""How well the picture is found in a photo: the locator against classical contours, on captures with known corners.

    python -m benchmarks.locate --heldout heldout/coco.tar --camera CAMERA_FOLDER --count 60

Simulated captures of held-out pictures (their backgrounds are other held-out pictures), real phone photos of printed
covers, and photos that show no displayed picture. CAMERA_FOLDER holds `pairs.jsonl` (original, captured,
corners_tl_tr_br_bl); its originals have white margins that no print has, so the corners of what is printed are
derived from them. Screenshots show a part of the picture: there the truth is the box of what is seen of it. Written:
results/locate.json.
"""

from __future__ import annotations

import argparse
import itertools
import json
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from benchmarks.locate_contours import locate_by_contours
from benchmarks.record import ROOT, write
from numpy.typing import NDArray
from PIL import Image

from tiacam.capture import Kind, Strength, simulate
from tiacam.data.shards import read_pictures
from tiacam.image import load
from tiacam.locate import DEFAULT_LOCATOR, Locator, load_locator
from tiacam.locate.rectify import UNIT_SQUARE, apply_homography, area, homography
from tiacam.model import load_model

Pixels = NDArray[np.uint8]
Corners = NDArray[np.float64]
Row = dict[str, Any]
LONG_SIDE = 1200
WHITE = 235  # originals are JPEG: their white is not quite white
OWN_SHARE = 0.03  # of a row or column, pixels that are not white, from which on it belongs to the picture
GOOD = (0.7, 0.8, 0.9)


@dataclass(frozen=True)
class Found:
    """A method's answer for one photo, its surest quadrilateral first."""

    quads: list[Corners]
    confidence: float
    milliseconds: float  # of one core; the machine may be busy with other things


@dataclass(frozen=True)
class Case:
    photo: Pixels
    corners: Corners  # tl, tr, br, bl as the picture is held


Method = Callable[[Pixels], Found]


def simulated(
    pictures: Pixels, kind: Kind, strength: Strength, count: int, kept: Path | None
) -> Iterator[Case]:
    """Captures of the first pictures; those that a folder already keeps are not made again."""
    for index in range(count):
        path = kept / f"{kind}-{strength}-{index:03d}.png" if kept else None
        if path is not None and path.with_suffix(".json").is_file():
            corners = np.array(json.loads(path.with_suffix(".json").read_text(encoding="utf-8")))
            yield Case(np.asarray(Image.open(path)), corners)
            continue
        case = capture_one(pictures, index, kind, strength)
        if path is not None:
            Image.fromarray(case.photo).save(path, compress_level=1)
            path.with_suffix(".json").write_text(json.dumps(case.corners.tolist()), encoding="utf-8")
        yield case


def capture_one(pictures: Pixels, index: int, kind: Kind, strength: Strength) -> Case:
    others = [pictures[(index * 7 + step) % len(pictures)] for step in (101, 211, 307)]
    capture = simulate(pictures[index], kind, strength, seed=index, backgrounds=others, long_side=LONG_SIDE)
    return Case(capture.photo, seen_box(capture.mask) if kind is Kind.SCREENSHOT else capture.corners)


def seen_box(mask: NDArray[np.bool_]) -> Corners:
    """The corners of the smallest box around what is seen."""
    columns, rows = (np.flatnonzero(mask.any(axis=axis)) for axis in (0, 1))
    left, right, top, bottom = columns[0], columns[-1] + 1, rows[0], rows[-1] + 1
    return np.array([(left, top), (right, top), (right, bottom), (left, bottom)], np.float64)


def real(folder: Path) -> Iterator[Case]:
    for line in (folder / "pairs.jsonl").read_text(encoding="utf-8").splitlines():
        pair = json.loads(line)
        if not pair.get("corners_tl_tr_br_bl"):
            continue
        photo = np.asarray(Image.open(folder / pair["captured"]).convert("RGB"))
        original = np.asarray(Image.open(folder / pair["original"]).convert("RGB"))
        yield Case(photo, printed_corners(original, np.array(pair["corners_tl_tr_br_bl"])))


def printed_corners(original: Pixels, corners: Corners) -> Corners:
    """The corners without the original's white margins."""
    own = (original.min(axis=2) < WHITE).astype(float)
    columns, rows = (np.flatnonzero(own.mean(axis=axis) > OWN_SHARE) for axis in (0, 1))
    height, width = own.shape
    left, right = columns[0] / width, (columns[-1] + 1) / width
    top, bottom = rows[0] / height, (rows[-1] + 1) / height
    inner = np.array([(left, top), (right, top), (right, bottom), (left, bottom)])
    return apply_homography(homography(UNIT_SQUARE, corners), inner)


def by_locator(locator: Locator, *, looks: int) -> Method:
    def find(photo: Pixels) -> Found:
        picture = load(photo)
        start = time.thread_time()
        quads = locator.locate(picture, least_confidence=0.0)
        if looks == 2:
            quads = locator.refine(picture, quads)
        spent = 1e3 * (time.thread_time() - start)
        height, width = photo.shape[:2]
        corners = [quad.in_pixels(width, height) for quad in quads]
        return Found(corners, quads[0].confidence if quads else 0.0, spent)

    return find


def by_contours(photo: Pixels) -> Found:
    start = time.thread_time()
    corners = locate_by_contours(photo)
    found = [] if corners is None else [corners]
    return Found(found, float(len(found)), 1e3 * (time.thread_time() - start))


def overlap(one: Corners, other: Corners) -> float:
    """Intersection over union of two convex quadrilaterals."""
    shared, _ = cv2.intersectConvexConvex(one.astype(np.float32), other.astype(np.float32))
    return float(shared / max(area(one) + area(other) - shared, 1e-9))


def corner_error(found: Corners, wanted: Corners) -> tuple[float, int]:
    """Mean distance of the corners in sides of the picture, up to quarter turns, and the turn that is nearest."""
    order = found if is_clockwise(found) else found[::-1]
    errors = [np.linalg.norm(np.roll(order, turn, axis=0) - wanted, axis=1).mean() for turn in range(4)]
    return float(min(errors) / np.sqrt(area(wanted))), int(np.argmin(errors))


def is_clockwise(corners: Corners) -> bool:
    """As seen in a photo, whose y points down."""
    (ax, ay), (bx, by) = corners[1] - corners[0], corners[2] - corners[1]
    return bool(ax * by > ay * bx)


def measure(name: str, method: str, answers: Sequence[Found], cases: Sequence[Case]) -> Row:
    """Overlaps of the surest quadrilateral and of the best, and corner errors where it overlaps well."""
    overlaps = [
        [overlap(quad, case.corners) for quad in found.quads] or [0.0]
        for found, case in zip(answers, cases, strict=True)
    ]
    first, best = np.array([values[0] for values in overlaps]), np.array([max(values) for values in overlaps])
    good = [
        corner_error(found.quads[0], case.corners)
        for found, case, iou in zip(answers, cases, first, strict=True)
        if iou >= GOOD[0]
    ]
    errors = [error for error, _ in good]
    row: Row = {"photos": name, "method": method, "n": len(cases)}
    row |= {f"iou>={level}": round(float((first >= level).mean()), 4) for level in GOOD}
    row["any_iou>=0.8"] = round(float((best >= 0.8).mean()), 4)
    row["median_iou"] = round(float(np.median(first)), 4)
    row["median_corner_error"] = round(float(np.median(errors)), 4) if errors else None
    row["p90_corner_error"] = round(float(np.quantile(errors, 0.9)), 4) if errors else None
    upright = [turn == 0 for _, turn in good]
    row["upright"] = round(float(np.mean(upright)), 4) if upright and method != "contours" else None
    row["median_core_ms"] = round(float(np.median([found.milliseconds for found in answers])), 2)
    return row


def measure_nothing(photos: Pixels, method: str, find: Method, least: float) -> Row:
    """Photos of scenes, most without any displayed picture: how often one is claimed."""
    claimed = [find(photo).confidence >= least for photo in photos]
    return {
        "photos": "held-out photos, nothing displayed",
        "method": method,
        "n": len(photos),
        "claimed": round(float(np.mean(claimed)), 4),
    }


def measure_cost(locator: Locator, rounds: int = 60) -> Iterator[Row]:
    """A pass of the locator's network, in haste and with care, against one feature pass, on one core, in turns."""
    model = load_model(threads=1)

    def photo(side: int) -> Pixels:
        return np.random.default_rng(0).integers(0, 256, (1, side, side, 3), np.uint8)

    hasty, careful, seen = map(photo, (locator.hasty_size, locator.card.input_size, model.card.input_size))
    passes = {
        "in haste": lambda: locator.answer(hasty),
        "with care": lambda: locator.answer(careful),
        "features": lambda: model.extract(seen),
    }
    spent: dict[str, list[float]] = {name: [] for name in passes}
    for _ in range(rounds):
        for name, run in passes.items():
            start = time.thread_time()
            run()
            spent[name].append(1e3 * (time.thread_time() - start))
    features = float(np.median(spent.pop("features")))
    for name, times in spent.items():
        yield {
            "photos": "cost of a pass",
            "method": f"{locator.card.name}, {name}",
            "n": rounds,
            "core_ms": round(float(np.median(times)), 2),
            "feature_pass_core_ms": round(features, 2),
            "ratio": round(float(np.median(times)) / features, 3),
        }


def rows(options: argparse.Namespace) -> Iterator[Row]:
    cv2.setNumThreads(1)
    locator = load_locator(options.locator, threads=1)
    methods: dict[str, Method] = {
        locator.card.name: by_locator(locator, looks=1),
        f"{locator.card.name}, two looks": by_locator(locator, looks=2),
        "contours": by_contours,
    }
    pictures = read_pictures([options.heldout], 256)
    sets: list[tuple[str, Iterator[Case]]] = [("real prints", real(options.camera))] if options.camera else []
    sets += [
        (f"{kind}, {strength}", simulated(pictures, kind, strength, options.count, options.keep))
        for kind, strength in itertools.product(Kind, Strength)
    ]
    for name, made in sets:
        cases = list(made)
        for method, find in methods.items():
            yield measure(name, method, [find(case.photo) for case in cases], cases)
    for method in (locator.card.name, "contours"):
        yield measure_nothing(pictures[-options.nothing :], method, methods[method], 0.5)
    yield from measure_cost(locator)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--heldout", type=Path, required=True, help="tar of pictures never trained on")
    parser.add_argument("--camera", type=Path, metavar="CAMERA_FOLDER")
    parser.add_argument("--count", type=int, default=60, help="simulated captures of each kind and strength")
    parser.add_argument(
        "--keep", type=Path, help="an existing folder that keeps the captures for the next run"
    )
    parser.add_argument("--nothing", type=int, default=200, help="photos without a displayed picture")
    parser.add_argument("--locator", default=DEFAULT_LOCATOR, help="a shipped locator or the path of a card")
    parser.add_argument("--out", type=Path, default=ROOT / "results" / "locate.json")
    options = parser.parse_args()
    found = []
    for row in rows(options):
        print(json.dumps(row), flush=True)
        found.append(row)
    command = f"python -m benchmarks.locate --heldout {options.heldout.name} --camera CAMERA --count {options.count}"
    card = load_locator(options.locator).card
    write(options.out, command=command, seed=0, n=sum(row["n"] for row in found), rows=found, locator=card.id)


if __name__ == "__main__":
    main()
