"""Photos of pictures that nobody registered, read as a user reads: located views, alignment by landmarks and all.

    OMP_NUM_THREADS=2 python -m benchmarks.unregistered --gallery heldout/coco.tar --probes flickr8k.tar --limit 1500

Every probe goes through the whole of `Tiacam.read`. A claim is an error; the record has their number with its 95% bound
(Clopper-Pearson), the nearest cosines and the time. Written: results/unregistered.json.
"""

from __future__ import annotations

import argparse
import tempfile
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.record import ROOT, write
from benchmarks.registering import register_all
from scipy import stats
from tqdm import tqdm

from tiacam import Submission, Tiacam, Verdict
from tiacam.data.shards import members
from tiacam.watermark import Message

Row = dict[str, Any]


def upper_bound(hits: int, count: int) -> float:
    """The 95% Clopper-Pearson bound on a rate."""
    return float(stats.beta.ppf(0.95, hits + 1, count - hits))


def read_all(session: Tiacam, probes: list[bytes]) -> list[Verdict]:
    verdicts = []
    for result in tqdm(session.read_many(probes), total=len(probes), desc="probes", mininterval=10):
        if isinstance(result, Exception):
            raise result
        verdicts.append(result)
    return verdicts


def describe(verdicts: list[Verdict], gallery: int) -> list[Row]:
    claimed = [verdict for verdict in verdicts if verdict.registered]
    cosines = np.array([verdict.cosine for verdict in verdicts])
    times = np.array([verdict.milliseconds for verdict in verdicts])
    count = len(verdicts)
    return [
        {"name": "claimed", "value": len(claimed) / count, "hits": len(claimed), "n": count, "low": 0.0,
         "high": upper_bound(len(claimed), count), "gallery": gallery, "stated": 1e-6},
        {"name": "claimed by landmarks", "hits": sum(verdict.inliers > 0 for verdict in claimed), "n": count},
        {"name": "nearest cosine", "median": float(np.median(cosines)), "q99": float(np.quantile(cosines, 0.99)),
         "largest": float(cosines.max()), "n": count},
        {"name": "milliseconds", "median": float(np.median(times)), "q95": float(np.quantile(times, 0.95)), "n": count},
    ]  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--gallery", type=Path, required=True, help="tar of pictures to register")
    parser.add_argument("--probes", type=Path, required=True, help="tar of other pictures to look up")
    parser.add_argument("--limit", type=int, default=1500, help="how many probes")
    parser.add_argument("--model", default=None)
    parser.add_argument("--out", type=Path, default=ROOT / "results" / "unregistered.json")
    options = parser.parse_args()
    gallery, probes = list(members(options.gallery)), list(islice(members(options.probes), options.limit))
    with tempfile.TemporaryDirectory() as folder:
        session = Tiacam.open(Path(folder) / "registry.db", model=options.model)
        with session:
            message = Message.from_int(4711, 100)
            register_all(session, (Submission(picture, message) for picture in gallery))
            rows = describe(read_all(session, probes), len(gallery))
            write(
                options.out,
                command=f"python -m benchmarks.unregistered --gallery {options.gallery.name} "
                f"--probes {options.probes.name} --limit {options.limit}",
                seed=None,
                n=len(probes),
                rows=rows,
                model=session.model.id,
            )
    for row in rows:
        print(row)


if __name__ == "__main__":
    main()
