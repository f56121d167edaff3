"""Table 2's setting on all held-out pictures: typical captures of every one, as taken, messages of three lengths.

    python -m benchmarks.all_captures --data heldout/coco.tar

Every picture is registered with a message of 30, of 100 and of 200 bits, in a registry for each length. It is
captured once on a screen, in print and as a screenshot, and each capture is read as a user reads, unrectified, against
all records. A message comes back whole or not at all; to hold it against the paper's bit accuracy, the bits of one
that does not come back count as thrown coins, half of them right, and all bits of a wrong record's message as wrong.
Written: results/all-captures.json.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.record import ROOT, write
from benchmarks.registering import register_all
from tqdm import tqdm

from tiacam import Submission, Tiacam, Verdict
from tiacam.capture import Kind, Strength, simulate
from tiacam.data.shards import members
from tiacam.evaluate.metrics import Estimate, estimate_mean, estimate_rate
from tiacam.evaluate.paper import CAMERA_BITS
from tiacam.image import load
from tiacam.watermark import Message

LENGTHS = (30, 100, 200)
KINDS = {Kind.SCREEN: "Screen Camera", Kind.PRINT: "Print Camera", Kind.SCREENSHOT: "Screenshots"}

Row = dict[str, Any]


def draw_message(rng: np.random.Generator, bits: int) -> Message:
    return Message.from_bits(rng.integers(0, 2, bits).tolist())


def capture(kind: Kind, seed: int, numbered: tuple[int, bytes]) -> bytes:
    number, picture = numbered
    return simulate(load(picture).pixels, kind, Strength.TYPICAL, seed=seed + number).encoded


def right_bits(verdict: Verdict, own: str, message: Message) -> float:
    """1 for the whole message, a half for none, 0 for another record's."""
    if verdict.record_id is None:
        return 0.5
    return float(verdict.record_id == own and verdict.message == message)


def describe(kind: Kind, bits: int, right: Sequence[float], seed: int) -> Iterator[Row]:
    shares = np.array(right)
    paper = CAMERA_BITS[KINDS[kind]].get(bits)
    for metric, found in (
        ("exact", estimate_rate((shares == 1).astype(np.float64))),
        ("bit accuracy, unread ones as coins", estimate_mean(shares, seed)),
        ("another record claimed", estimate_rate((shares == 0).astype(np.float64))),
    ):
        yield row(kind, bits, metric, found, paper if metric.startswith("bit") else None)


def row(kind: Kind, bits: int, metric: str, found: Estimate, paper: float | None) -> Row:
    known = {} if paper is None else {"paper": paper}
    return {"name": KINDS[kind], "bits": bits, "metric": metric, "value": found.value, "low": found.low,
            "high": found.high, **known}  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--data", type=Path, required=True, help="tar of pictures that nothing was trained on"
    )
    parser.add_argument("--n", type=int, help="so many of them")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=1, help="processes that simulate")
    parser.add_argument("--out", type=Path, default=ROOT / "results" / "all-captures.json")
    options = parser.parse_args()

    pictures = list(islice(members(options.data), options.n))
    rng = np.random.default_rng(options.seed)
    rows: list[Row] = []
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        pool = stack.enter_context(ProcessPoolExecutor(options.workers))
        registries = []
        for bits in LENGTHS:
            session = stack.enter_context(Tiacam.open(Path(folder) / f"{bits}.tiacam", threads=1))
            messages = [draw_message(rng, bits) for _ in pictures]
            records = register_all(session, map(Submission, pictures, messages))
            registries.append((bits, session, messages, [record.id for record in records]))
        for kind in KINDS:
            captures = pool.map(partial(capture, kind, 1000 * options.seed), enumerate(pictures), chunksize=8)
            right: dict[int, list[float]] = {bits: [] for bits in LENGTHS}
            for number, photo in enumerate(tqdm(captures, kind.value, len(pictures), mininterval=20)):
                for bits, session, messages, ids in registries:
                    right[bits].append(right_bits(session.read(photo), ids[number], messages[number]))
            rows += [one for bits in LENGTHS for one in describe(kind, bits, right[bits], options.seed)]
        model = registries[0][1].model.id
    limit = f" --n {options.n}" if options.n else ""
    write(
        options.out,
        command=f"python -m benchmarks.all_captures --data {options.data.name}{limit} --seed {options.seed}",
        seed=options.seed,
        n=len(pictures),
        rows=rows,
        model=model,
    )
    for one in rows:
        print(one)


if __name__ == "__main__":
    main()
