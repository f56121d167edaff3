"""Captures that are not read, and why: severe ones of the sample pictures, drawn where the reader looked.

    python -m benchmarks.failures --distractors heldout/coco.tar

The twelve sample pictures are registered among the distractors. Every one is captured on screen, in print and as a
screenshot, and read as a user reads. Written: results/failures.json and results/failures.jpg, the first of each reason.
"""

from __future__ import annotations

import argparse
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.record import ROOT, write
from PIL import Image, ImageDraw, ImageFont
from tqdm import tqdm

from tiacam import Submission, Tiacam, Verdict
from tiacam.app.aligning import Geometry, unit
from tiacam.app.lookup import Lookup
from tiacam.app.sights import corners_of
from tiacam.capture import Capture, Kind, Strength, simulate
from tiacam.capture.codec import File, encode
from tiacam.cli.demo import random_message
from tiacam.cli.explaining import FOUND, LOOKED, outline
from tiacam.data.shards import read_pictures
from tiacam.image import load
from tiacam.locate.rectify import rectify
from tiacam.registry import Record
from tiacam.watermark import Decision

PICTURES = ROOT / "src" / "tiacam" / "cli" / "pictures"
LONG_SIDE = 1600
CELL, CAPTION, COLUMNS, MOST_SHOWN = 300, 54, 4, 12

Row = dict[str, Any]


@dataclass(frozen=True)
class Failure:
    """A capture that was not read, and what the reader had of it."""

    row: Row
    capture: Capture
    lookup: Lookup


def why(truth: float, best: float, inliers: int, threshold: float) -> str:
    """The reason in words: what was lost, and whether before or after the picture was found.

    `truth` is the cosine with the picture cut out by its true corners, `best` that of the best view.
    """
    if truth < threshold:
        found = "landmarks too few" if inliers else "no landmarks"
        return f"too little of the picture is left, {found}"
    if best < threshold:
        return "not located well enough"
    return "near enough, not decoded or details disagreed"


def examine(tiacam: Tiacam, record: Record, capture: Capture) -> Failure | None:
    """Read one capture; None where its message came back."""
    picture, verdict, lookup = tiacam.explain(capture.encoded)
    if isinstance(verdict, Verdict) and verdict.record_id == record.id:
        return None
    claimed = isinstance(verdict, Verdict) and verdict.registered
    threshold = Decision(tiacam.model.card.null_dimensions).threshold(lookup.trials)
    flat = rectify(capture.photo, capture.corners, tiacam.model.card.input_size)
    truth = float(tiacam.model.extract(flat[None])[0] @ unit(record))
    best = max(
        (cosine for seen in lookup.seen for name, cosine in seen.nearest if name == record.id), default=0.0
    )
    placed = Geometry(picture).place(record)
    inliers = placed.alignment.inliers if placed else 0
    row = {
        "cosine_at_true_corners": round(truth, 3),
        "best_cosine": round(best, 3),
        "threshold": round(threshold, 3),
        "inliers": inliers,
        "seen_share": round(float(capture.mask.mean()), 3),
        "another_record_claimed": claimed,
        "reason": "another record was claimed" if claimed else why(truth, best, inliers, threshold),
    }
    return Failure(row, capture, lookup)


def register(tiacam: Tiacam, distractors: Path) -> dict[str, Record]:
    """The records of the sample pictures, by name."""
    names = sorted(path.stem for path in PICTURES.glob("*.jpg"))
    submissions = [Submission(PICTURES / f"{name}.jpg", random_message()) for name in names]
    submissions += [Submission(pixels, random_message()) for pixels in read_pictures([distractors], 256)]
    results = tqdm(tiacam.register_many(submissions), "registering", len(submissions))
    found = [result for result in results if isinstance(result, Record)]
    return dict(zip(names, found, strict=False))


def measure(
    tiacam: Tiacam, records: dict[str, Record], strength: Strength, rounds: int
) -> Iterator[Failure | Row]:
    """For every capture that was read its row, and the failure for every other. Nothing else is in the picture."""
    pixels = {name: load(PICTURES / f"{name}.jpg").pixels for name in records}
    cases = [(name, kind, seed) for name in records for kind in Kind for seed in range(rounds)]
    for name, kind, seed in tqdm(cases, str(strength)):
        capture = simulate(pixels[name], kind, strength, seed=seed, long_side=LONG_SIDE)
        told = {"picture": name, "kind": str(kind), "strength": str(strength), "seed": seed}
        failure = examine(tiacam, records[name], capture)
        if failure is None:
            yield told | {"reason": "read"}
        else:
            yield Failure(told | failure.row, failure.capture, failure.lookup)


def draw(failures: Sequence[Failure]) -> np.ndarray[Any, np.dtype[np.uint8]]:
    """Photos with the picture's true place and all places that were looked at, the reason below."""
    rows = -(-len(failures) // COLUMNS)
    sheet = Image.new("RGB", (COLUMNS * CELL, rows * (CELL + CAPTION)), (255, 255, 255))
    pen, font = ImageDraw.Draw(sheet), ImageFont.load_default(12)
    for place, failure in enumerate(failures):
        x, y = place % COLUMNS * CELL, place // COLUMNS * (CELL + CAPTION)
        photo = outlined(failure)
        sheet.paste(photo, (x + (CELL - photo.width) // 2, y + (CELL - photo.height) // 2))
        row = failure.row
        lines = (
            f"{row['picture']}, {row['kind']}, {row['strength']}",
            row["reason"],
            f"true corners {row['cosine_at_true_corners']:.2f}, best view {row['best_cosine']:.2f}, "
            f"needed {row['threshold']:.2f}",
        )
        for number, line in enumerate(lines):
            pen.text((x + 4, y + CELL + 2 + 16 * number), line, (30, 30, 30), font)
    return np.asarray(sheet)


def outlined(failure: Failure) -> Image.Image:
    photo = Image.fromarray(failure.capture.photo)
    height, width = failure.capture.photo.shape[:2]
    photo.thumbnail((CELL - 6, CELL - 6))
    for seen in failure.lookup.seen:
        outline(photo, corners_of(seen.sight), LOOKED, 1)
    true = [(float(x) / width, float(y) / height) for x, y in failure.capture.corners]
    outline(photo, (true[0], true[1], true[2], true[3]), FOUND, 3)
    return photo


def chosen(failures: Sequence[Failure]) -> list[Failure]:
    """Some of every reason and kind, those of one reason together."""
    seen: Counter[tuple[str, str]] = Counter()
    picked = []
    for failure in failures:
        key = failure.row["reason"], failure.row["kind"]
        if seen[key] < 2:
            picked.append(failure)
        seen[key] += 1
    return sorted(picked, key=lambda failure: failure.row["reason"])[:MOST_SHOWN]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--distractors", type=Path, required=True, help="tar of other pictures to register")
    parser.add_argument("--rounds", type=int, default=3, help="captures of each picture and kind")
    parser.add_argument("--strength", type=Strength, default=Strength.SEVERE)
    parser.add_argument("--out", type=Path, default=ROOT / "results" / "failures.json")
    args = parser.parse_args()
    with (
        tempfile.TemporaryDirectory() as scratch,
        Tiacam.open(Path(scratch) / "registry.tiacam") as tiacam,
    ):
        records = register(tiacam, args.distractors)
        outcomes = list(measure(tiacam, records, args.strength, args.rounds))
        count, model = len(tiacam.registry), tiacam.model.id
    failures = [outcome for outcome in outcomes if isinstance(outcome, Failure)]
    rows = [outcome.row if isinstance(outcome, Failure) else outcome for outcome in outcomes]
    command = f"python -m benchmarks.failures --distractors {args.distractors.name} --rounds {args.rounds}"
    reasons = Counter(f"{row['kind']}: {row['reason']}" for row in rows)
    write(
        args.out, command=command, seed=0, n=len(rows), rows=rows, model=model, records=count, reasons=reasons
    )
    if failures:
        sheet = draw(chosen(failures))
        args.out.with_suffix(".jpg").write_bytes(encode(sheet, File("JPEG", 80)))
    for reason, number in sorted(reasons.items()):
        print(f"{number:4} {reason}")


if __name__ == "__main__":
    main()
