"""How often is a picture claimed that nobody registered? Real, different pictures instead of random features.

    OMP_NUM_THREADS=2 python -m benchmarks.different_pictures --gallery heldout/coco.tar --probes train/shard-02.tar
    OMP_NUM_THREADS=2 python -m benchmarks.different_pictures --every 8 --probes flickr8k.tar --out look-alikes.json

Every picture of the gallery is registered once, every probe is looked up. None of the probes is in the gallery, but
nobody has removed look-alikes: the rates are those of *different* pictures as they come, not of unrelated ones alone.
With `--every` the gallery comes out of the probes: photos of one occasion are then on both sides.

- statistic: pairs whose cosine passes the test on its own, at stated rates for one comparison.
- pair: pairs whose message is really read (code and seal) and passes the test for one comparison.
- look-up: probes that are claimed as `tiacam read` would, all records counted as trials; whole frames only.

Written: results/different-pictures.json.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.record import ROOT, write
from numpy.typing import NDArray
from scipy import stats

from tiacam.data.shards import read_pictures
from tiacam.model import load_model
from tiacam.pipeline import LEAST_COSINE
from tiacam.watermark import Decision, KeyedHead, Mark, Message

SECRET = bytes(range(32))
RATES = (1e-2, 1e-3, 1e-4, 1e-5, 1e-6)
MESSAGE = Message.from_int(4711, 100)
HEAD = KeyedHead()

Features = NDArray[np.float32]
Pixels = NDArray[np.uint8]
Row = dict[str, Any]


@dataclass(frozen=True)
class Meeting:
    """A probe and a record that came near enough to be decoded; `correlation` is None where nothing was read."""

    probe: int
    record: int
    cosine: float
    correlation: float | None


def split(pixels: Pixels, every: int) -> tuple[Pixels, Pixels]:
    """A gallery of every so many pictures, and the others."""
    chosen = np.arange(len(pixels)) % every == 0
    return pixels[chosen], pixels[~chosen]


def meet(gallery: Features, probes: Features, cosines: Features) -> Iterator[Meeting]:
    """Read the mark of every record that a probe comes near."""
    marks: dict[int, Mark] = {}
    for probe, record in np.argwhere(cosines >= LEAST_COSINE).tolist():
        if record not in marks:
            marks[record] = HEAD.bind(gallery[record], MESSAGE, SECRET)
        reading = HEAD.read(probes[probe], marks[record], SECRET)
        found = None if reading.message is None else reading.correlation
        yield Meeting(probe, record, float(cosines[probe, record]), found)


def rate(part: str, count: int, trials: int, **more: Any) -> Row:
    """A rate with its two-sided 95% Clopper-Pearson interval."""
    low = float(stats.beta.ppf(0.025, count, trials - count + 1)) if count else 0.0
    high = float(stats.beta.ppf(0.975, count + 1, trials - count))
    return {
        "part": part,
        **more,
        "count": count,
        "trials": trials,
        "rate": count / trials,
        "low": low,
        "high": high,
    }


def summarise(decision: Decision, cosines: Features, meetings: list[Meeting]) -> Iterator[Row]:
    for stated in RATES:
        threshold = Decision(decision.dimensions, stated).threshold()
        passed = int((cosines >= threshold).sum())
        yield rate("statistic", passed, cosines.size, stated_rate=stated, threshold=round(threshold, 4))
    read = [meeting for meeting in meetings if meeting.correlation is not None]
    yield rate("pair, message read", len(read), cosines.size)
    claimed = [m for m in read if m.correlation is not None and decision.accepts(m.correlation)]
    yield rate("pair, claimed", len(claimed), cosines.size, stated_rate=decision.false_claim_rate)
    records = cosines.shape[1]
    probes = {m.probe for m in read if m.correlation is not None and decision.accepts(m.correlation, records)}
    yield rate(
        "look-up, claimed", len(probes), len(cosines), records=records, stated_rate=decision.false_claim_rate
    )
    quantiles = {f"{p:g}": round(float(np.quantile(cosines, 1 - p)), 4) for p in (*RATES[1:],)}
    yield {"part": "cosines", "quantiles": quantiles, "largest": round(float(cosines.max()), 4)}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    gallery_from = parser.add_mutually_exclusive_group(required=True)
    gallery_from.add_argument("--gallery", type=Path, help="tar of pictures to register")
    gallery_from.add_argument("--every", type=int, help="register every so many of the probes instead")
    parser.add_argument("--probes", type=Path, required=True, help="tar of other pictures to look up")
    parser.add_argument("--limit", type=int, default=5000, help="how many probes")
    parser.add_argument("--model", default=None)
    parser.add_argument("--out", type=Path, default=ROOT / "results" / "different-pictures.json")
    args = parser.parse_args()
    model = load_model(args.model) if args.model else load_model()
    size = model.card.input_size
    shown = read_pictures([args.probes], size, args.limit)
    if args.every:
        registered, shown = split(shown, args.every)
        source = f"--every {args.every}"
    else:
        registered, source = read_pictures([args.gallery], size), f"--gallery {args.gallery.name}"
    gallery, probes = model.foresee(registered), model.extract(shown)
    cosines = probes @ gallery.T  # (P, R)
    meetings = list(meet(gallery, probes, cosines))
    rows = list(summarise(Decision(model.card.null_dimensions), cosines, meetings))
    nearest = sorted(meetings, key=lambda meeting: -meeting.cosine)[:20]
    write(
        args.out,
        command=f"python -m benchmarks.different_pictures {source} --probes {args.probes.name}",
        seed=None,
        n=cosines.size,
        rows=rows,
        model=model.id,
        null_dimensions=model.card.null_dimensions,
        nearest=[[m.probe, m.record, round(m.cosine, 4), m.correlation is not None] for m in nearest],
    )
    for row in rows:
        print(json.dumps(row))


if __name__ == "__main__":
    main()
