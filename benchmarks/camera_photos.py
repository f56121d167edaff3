"""Real phone photos of printed pictures, read by the shipped model: what `tiacam read` makes of them today.

    python -m benchmarks.camera_photos CAMERA_FOLDER --distractors heldout/coco.tar

CAMERA_FOLDER holds `pairs.jsonl` (original, captured, corners_tl_tr_br_bl). All originals and the distractors are
registered with random 100-bit messages; every photo is read as it is, and once more rectified by its true corners,
which no user has. Where a photo shows two registered pictures, `read` names the surer one; such a photo counts as "the
other of two" if all that is read in it has the expected one too, as another record if not. Written:
results/camera-photos.json. These are development pictures, not an acceptance test.
"""

from __future__ import annotations

import argparse
import json
import math
import secrets
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from benchmarks.record import ROOT, write
from benchmarks.registering import register_all
from PIL import Image

from tiacam import Message, Submission, Tiacam, Verdict
from tiacam.cli.demo_captures import homography
from tiacam.data.shards import read_pictures

BITS = 100
RECTIFIED = 480
OUTCOMES = ("exact", "the other of two", "not registered", "another record", "unreadable")
Row = dict[str, Any]


def read_pairs(folder: Path) -> list[Row]:
    return [json.loads(line) for line in (folder / "pairs.jsonl").read_text(encoding="utf-8").splitlines()]


def rectify(photo: Image.Image, corners: Sequence[Sequence[float]]) -> Image.Image:
    """The part of the photo inside the corners (tl, tr, br, bl), as a square."""
    import numpy as np

    side = float(RECTIFIED)
    square = np.array([(0, 0), (side, 0), (side, side), (0, side)])
    matrix = homography(square, np.asarray(corners, np.float64))
    size = (RECTIFIED, RECTIFIED)
    return photo.transform(size, Image.Transform.PERSPECTIVE, matrix, Image.Resampling.BICUBIC)


def register_pictures(
    tiacam: Tiacam, folder: Path, pairs: Sequence[Row], distractors: Path
) -> dict[str, Message]:
    """The message of every original; the distractors get messages that nobody asks for."""
    messages = {pair["original"]: Message.from_int(secrets.randbits(BITS), BITS) for pair in pairs}
    submissions = [Submission(folder / name, message) for name, message in messages.items()]
    others = read_pictures([distractors], 256)
    submissions += [Submission(pixels, Message.from_int(secrets.randbits(BITS), BITS)) for pixels in others]
    register_all(tiacam, submissions)
    return messages


def outcome(verdict: Verdict | Exception, expected: Message) -> str:
    if isinstance(verdict, Exception):
        return "unreadable"
    if not verdict.registered:
        return "not registered"
    return "exact" if verdict.message == expected else "another record"


def outcome_of_two(tiacam: Tiacam, photo: Path | Image.Image, expected: Message) -> str:
    """What a claim of another record was: right about a second picture in the photo, or wrong."""
    shown = any(verdict.message == expected for verdict in tiacam.read_all(photo))
    return "the other of two" if shown else "another record"


def summarise(form: str, outcomes: Counter[str], medium: str) -> Row:
    """The share of exact messages with its 95% Wilson interval."""
    n, exact = outcomes.total(), outcomes["exact"]
    z, share = 1.96, exact / n
    centre, half = share + z * z / (2 * n), z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    low, high = ((centre + side * half) / (1 + z * z / n) for side in (-1, 1))
    counts = {key: outcomes[key] for key in OUTCOMES}
    rates = {"rate": round(share, 4), "low": round(low, 4), "high": round(high, 4)}
    return {"photos": form, "medium": medium, "n": n} | counts | rates


def measure(
    tiacam: Tiacam, folder: Path, pairs: Sequence[Row], messages: dict[str, Message]
) -> Iterator[Row]:
    located = [pair for pair in pairs if pair.get("corners_tl_tr_br_bl")]
    raw = [folder / pair["captured"] for pair in pairs]
    flat = [
        rectify(Image.open(folder / pair["captured"]).convert("RGB"), pair["corners_tl_tr_br_bl"])
        for pair in located
    ]
    for form, asked, photos in (("as taken", pairs, raw), ("rectified by true corners", located, flat)):
        counts: Counter[str] = Counter()
        for pair, photo, verdict in zip(asked, photos, tiacam.read_many(photos), strict=True):
            found = outcome(verdict, messages[pair["original"]])
            if found == "another record":
                found = outcome_of_two(tiacam, photo, messages[pair["original"]])
            counts[found] += 1
        yield summarise(form, counts, "print")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, metavar="CAMERA_FOLDER")
    parser.add_argument("--distractors", type=Path, required=True, help="tar of other pictures to register")
    parser.add_argument("--model", default=None, help="a shipped model (default: the default one)")
    parser.add_argument("--out", type=Path, default=ROOT / "results" / "camera-photos.json")
    args = parser.parse_args()
    pairs = read_pairs(args.folder)
    with (
        tempfile.TemporaryDirectory() as scratch,
        Tiacam.open(Path(scratch) / "registry.tiacam", model=args.model) as tiacam,
    ):
        messages = register_pictures(tiacam, args.folder, pairs, args.distractors)
        rows = list(measure(tiacam, args.folder, pairs, messages))
        records, model = len(tiacam.registry), tiacam.model.id
    command = f"python -m benchmarks.camera_photos {args.folder.name} --distractors {args.distractors.name}"
    n = sum(row["n"] for row in rows)
    write(args.out, command=command, seed=None, n=n, rows=rows, model=model, records=records)
    for row in rows:
        print(json.dumps(row))


if __name__ == "__main__":
    main()
