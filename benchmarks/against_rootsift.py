"""TIACam against RootSIFT + RANSAC, in one run and on the same photos.

    OMP_NUM_THREADS=2 python -m benchmarks.against_rootsift CAMERA_FOLDER --distractors heldout/coco.tar
    OMP_NUM_THREADS=2 python -m benchmarks.against_rootsift CAMERA_FOLDER --distractors heldout/coco.tar --part scale

photos       raw photos of prints by phones; all originals and all distractors are registered
textureless  simulated captures of the distractors with the fewest SIFT keypoints; all distractors are registered
scale        photos by phones among 10,000, 40,000 and 100,000 records, most of them made up (against_scale)

Look-ups of what is not registered, where nothing may be accepted, are asked as well. Ours is `Tiacam.read` with
messages of 100 bits at a false-claim rate of 1e-6; RootSIFT has 500 keypoints, 20 candidates, and accepts
15 inliers. Rates are of photos, their intervals count each picture once: photos of one picture are no independent
trials. `core milliseconds` add up all cores, so a busy machine disturbs them less; OpenMP's threads sleep while they
wait, for otherwise their waiting would count.
Written: results/against-rootsift.json, where every part keeps its rows until it is run again.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import cv2
import faiss
from benchmarks.against_contest import BITS, FALSE_CLAIM_RATE, THREADS
from benchmarks.against_material import Material, read_material
from benchmarks.against_parts import (
    CELLS,
    MANY_CELLS,
    MANY_PROBES,
    PROBES,
    Chapter,
    Settings,
    measure_photos,
    measure_scale,
    measure_textureless,
)
from benchmarks.peers.rootsift import LONG_SIDE
from benchmarks.peers.rootsift_ivf import CANDIDATES, ENOUGH, KEYPOINTS, NEIGHBOURS
from benchmarks.record import COMMIT, ROOT, write

from tiacam.model import load_model
from tiacam.provenance import describe_processor

PARTS: dict[str, Callable[[Material, Settings], Iterator[Chapter]]] = {
    "photos": measure_photos,
    "textureless": measure_textureless,
    "scale": measure_scale,
}
THEIRS = (
    f"{KEYPOINTS} SIFT keypoints at {LONG_SIDE} pixels, root-normalised, a byte a value; faiss-cpu "
    f"{version('faiss-cpu')} IndexIVFScalarQuantizer, {PROBES} of {CELLS} cells ({MANY_PROBES} of {MANY_CELLS} for "
    f"scale), {NEIGHBOURS} neighbours a keypoint; RANSAC on {CANDIDATES} candidates, accepted from {ENOUGH} inliers"
)
MADE_UP = (
    "scale: all but the first 1,000 records. Ours: real features under random signed permutations of the axes, with "
    "real landmarks, bound, signed and stored as usual. RootSIFT: mixtures of two real descriptors of one cell, at "
    "random places of random records. For times: what they do to the rates is not what real pictures would"
)


def save(out: Path, chapter: Chapter, command: str) -> None:
    """Put a chapter in the place of its earlier self; the others stay as they are, each with its own origin."""
    kept: dict[str, Any] = json.loads(out.read_text(encoding="utf-8")) if out.exists() else {}
    rows = [row for row in kept.get("rows", []) if row["part"] != chapter.name] + chapter.rows
    model = load_model().id
    origin = {"command": command, "commit": COMMIT, "model": model, "device": describe_processor()}
    parts = kept.get("parts", {}) | {chapter.name: origin | chapter.notes}
    photos = {(row["part"], row["photos"]): row["n"] for row in rows if row["photos"] not in ("", "all")}
    write(
        out,
        command="python -m benchmarks.against_rootsift camera --distractors coco.tar",
        seed=0,
        n=sum(photos.values()),
        rows=rows,
        model=model,
        ours=f"Tiacam.read, messages of {BITS} bits, false-claim rate {FALSE_CLAIM_RATE:g} a look-up",
        rootsift=THEIRS,
        threads=THREADS,
        made_up=MADE_UP,
        parts=parts,
    )


def bind_to_cores() -> None:
    """Both systems on the same two cores; OpenCV, which both use, with two threads."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:THREADS])
    cv2.setNumThreads(THREADS)
    faiss.omp_set_num_threads(THREADS)


def wait_asleep() -> None:
    """Begin anew with OpenMP's threads asleep while they wait: spinning would count as work, more so for RootSIFT."""
    if "OMP_WAIT_POLICY" not in os.environ:
        told = [sys.executable, "-m", "benchmarks.against_rootsift", *sys.argv[1:]]
        os.execve(sys.executable, told, os.environ | {"OMP_WAIT_POLICY": "passive"})


def main() -> None:
    wait_asleep()
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, metavar="CAMERA_FOLDER")
    parser.add_argument("--distractors", type=Path, required=True, help="tar of other pictures")
    parser.add_argument("--part", choices=PARTS, action="append", help="only this one (may be repeated)")
    parser.add_argument("--plain", type=int, default=100, help="pictures with the fewest keypoints")
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 40_000, 100_000])
    parser.add_argument("--photos", type=int, default=80, help="asked at each size")
    parser.add_argument(
        "--limit", type=int, help="so many photos, and ten times as many distractors: for a try"
    )
    parser.add_argument("--captures", type=Path, default=ROOT / "build" / "captures")
    parser.add_argument("--scratch", type=Path, help="keeps the large registries for another run")
    parser.add_argument("--out", type=Path, default=ROOT / "results" / "against-rootsift.json")
    args = parser.parse_args()
    bind_to_cores()
    material = read_material(args.folder, args.distractors, args.captures, args.limit)
    with tempfile.TemporaryDirectory() as temporary:
        scratch = args.scratch or Path(temporary)
        scratch.mkdir(parents=True, exist_ok=True)
        settings = Settings(scratch, args.plain, args.sizes, args.photos)
        for part in args.part or PARTS:
            for chapter in PARTS[part](material, settings):
                save(args.out, chapter, f"--part {part}")
                for row in chapter.rows:
                    print(json.dumps(row, ensure_ascii=False), flush=True)


if __name__ == "__main__":
    main()
