"""Records of the self-supervised baselines and of our models beside them, from the features of `ssl.features`.

    python -m benchmarks.baselines.ssl.measure DIR/*.npz

Written: results/table1--NAME.json for baselines (whitened features, the rows of `tiacam evaluate table1`), and for all
models results/ssl--NAME.json: plain cosines, which is what the paper's Table 1 has, effective rank, and top-1 of real
photos.
"""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.baselines.paper import TABLE_1
from benchmarks.baselines.results import record, training_rows
from numpy.typing import NDArray

from tiacam.evaluate.metrics import CosineSummary, Estimate, estimate_rate, summarise_cosines
from tiacam.evaluate.paper import COSINE
from tiacam.evaluate.record import Row
from tiacam.model import Whitening

Features = NDArray[np.float32]
Saved = Mapping[str, Any]


def unit(features: NDArray[Any]) -> Features:
    """Unit length again, after fp16."""
    wide = np.asarray(features, np.float32)
    return np.asarray(wide / np.linalg.norm(wide, axis=1, keepdims=True), np.float32)


def whiten(saved: Saved, features: Features) -> Features:
    return Whitening(saved["mean"], saved["scale"]).apply(features)


def summary_rows(part: str, prefix: str, found: CosineSummary, paper: float | None) -> Iterator[Row]:
    """Both sides of one distortion."""
    yield Row.of(part, f"{prefix}cosine mean", found.genuine_mean, paper)
    yield Row.of(part, f"{prefix}cosine p5", found.genuine_p5)
    yield Row.of(part, f"{prefix}impostor cosine mean", found.impostor_mean)
    yield Row.of(part, f"{prefix}impostor cosine p99.9", found.impostor_p999)
    yield Row.of(part, f"{prefix}impostor cosine max", found.impostor_max)


def cosine_rows(saved: Saved, seed: int, *, white: bool) -> Iterator[Row]:
    """Table 1 for whitened or plain features."""
    name, prefix = str(saved["id"]).partition("@")[0], "" if white else "plain "
    for key in (key for key in saved if key.startswith("attack/")):
        part, attacked = key.removeprefix("attack/"), unit(saved[key])
        originals = unit(saved["held"][: len(attacked)])
        if white:
            originals, attacked = whiten(saved, originals), whiten(saved, attacked)
        ours = (
            name.startswith("anchor") and "training/seconds" not in saved
        )  # the paper has no such short run
        reported = COSINE if ours else TABLE_1.get(name, {})
        paper = None if white else reported.get(part)
        yield from summary_rows(part, prefix, summarise_cosines(originals, attacked, seed), paper)
        nearest = (attacked @ originals.T).argmax(axis=1) == np.arange(len(originals))
        if not white:
            yield Row.of(part, "plain top-1", estimate_rate(nearest.astype(np.float64)))


def photo_rows(saved: Saved, *, white: bool) -> Iterator[Row]:
    """Share of real photos whose nearest picture, of their originals and the held-out ones, is the one they show."""
    names = list(saved["names/orig"])
    gallery = np.concatenate([unit(saved["photos/orig"]), unit(saved["held"])])
    for form, word in (("raw", "raw"), ("rec", "rectified")):
        seen, known = unit(saved[f"photos/{form}"]), gallery
        if white:
            seen, known = whiten(saved, seen), whiten(saved, gallery)
        shown = np.array([names.index(name) for name in saved[f"names/{form}"]])
        right = (seen @ known.T).argmax(axis=1) == shown
        kind = "whitened" if white else "plain"
        yield Row.of(
            f"photos {word}, gallery of {len(known)}",
            f"{kind} top-1",
            estimate_rate(right.astype(np.float64)),
        )


def effective_rank(features: Features) -> float:
    """exp of the entropy of the covariance's spectrum: how many directions the features really use."""
    spectrum = np.linalg.svd(features - features.mean(axis=0), compute_uv=False) ** 2
    share = spectrum / spectrum.sum()
    return float(np.exp(-(share * np.log(np.maximum(share, 1e-12))).sum()))


def measure(saved: Saved, seed: int) -> list[Row]:
    """The rows of `ssl`."""
    rank = Estimate(effective_rank(unit(saved["held"])), None, None)
    rows = [*cosine_rows(saved, seed, white=False), Row.of("features", "effective rank", rank)]
    rows += [*photo_rows(saved, white=False), *training_rows(saved)]
    return rows if "mean" not in saved else [*rows, *photo_rows(saved, white=True)]


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("features", nargs="+", type=Path)
    parser.add_argument("--out", type=Path, default=Path("results"))
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)

    command = f"python -m benchmarks.baselines.ssl.measure {shlex.join(sys.argv[1:])}"
    for path in options.features:
        saved = dict(np.load(path))
        model = str(saved["id"])
        n = len(saved["attack/All"])
        record(options.out, "ssl", model, command, options.seed, n, measure(saved, options.seed))
        if "training/seconds" in saved:  # a baseline: those of shipped models are `tiacam evaluate table1`'s
            rows = list(cosine_rows(saved, options.seed, white=True))
            record(options.out, "table1", model, command, options.seed, n, rows)
        print(f"{model} measured", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
