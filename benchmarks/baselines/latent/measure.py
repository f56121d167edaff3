"""Records of ZBW and WSSL, from the readings of `latent.readings`.

    python -m benchmarks.baselines.latent.measure latent.npz

Written: results/latent--zbw.json and results/latent--wssl.json. The paper's columns for both are called bit accuracy,
but only a share of marks detected can be 0.02; they stand beside ours for detection at one false claim in a million.
"""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.baselines.bits import FALSE_CLAIMS, bits_needed
from benchmarks.baselines.latent.marking import cone_cosine
from benchmarks.baselines.paper import S4_DIGITAL
from benchmarks.baselines.results import record
from numpy.typing import NDArray

from tiacam.evaluate.metrics import bit_accuracy, estimate_mean, estimate_rate
from tiacam.evaluate.record import Row

Readings = Mapping[str, NDArray[Any]]


def detect(found: Readings, cosines: NDArray[np.float32]) -> NDArray[np.float64]:
    """1 for every picture taken for marked at one false claim in a million: by its cone, or by its right bits."""
    if "messages" not in found:
        threshold = cone_cosine(int(found["width"]), FALSE_CLAIMS)
        return np.asarray(np.abs(cosines[:, 0]) > threshold, np.float64)
    right = ((cosines > 0) == (found["messages"] > 0)).sum(axis=1)
    return np.asarray(right >= bits_needed(found["messages"].shape[1], FALSE_CLAIMS), np.float64)


def measure(name: str, found: Readings, seed: int) -> Iterator[Row]:
    """What the mark costs, then detection (and bits, where there are any) under every attack."""
    yield Row.of("marked picture", "PSNR", estimate_mean(found["psnr"], seed))
    yield Row.of("marked picture", "SSIM", estimate_mean(found["ssim"], seed))
    for key in found:
        where, _, attack = key.partition("/")
        if where not in ("marked", "unmarked"):
            continue
        prefix = "unmarked " if where == "unmarked" else ""
        paper = S4_DIGITAL[name][attack] if where == "marked" else None
        yield Row.of(attack, f"{prefix}detected at 1e-6", estimate_rate(detect(found, found[key])), paper)
        if "messages" in found:
            bits = (found[key] > 0).astype(np.uint8)
            accuracy = bit_accuracy(bits, found["messages"])
            yield Row.of(attack, f"{prefix}bit accuracy", estimate_mean(accuracy, seed))


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("readings", type=Path)
    parser.add_argument("--out", type=Path, default=Path("results"))
    options = parser.parse_args(arguments)

    command = f"python -m benchmarks.baselines.latent.measure {shlex.join(sys.argv[1:])}"
    saved = dict(np.load(options.readings))
    seed = int(saved.pop("seed"))
    for name in dict.fromkeys(key.partition("/")[0] for key in saved):
        found = {key.partition("/")[2]: value for key, value in saved.items() if key.startswith(f"{name}/")}
        model = f"{name}@{str(found['model']).replace('@', '-')}"
        rows = list(measure(name, found, seed))
        record(options.out, "latent", model, command, seed, len(found["psnr"]), rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
