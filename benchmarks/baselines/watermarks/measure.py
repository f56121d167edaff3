"""Records of the encoder-decoder watermarks, from the readings of `watermarks.readings`.

    python -m benchmarks.baselines.watermarks.measure readings.npz

Written: results/watermark--NAME-BITS.json. The captures are simulated (docs/capture.md).
"""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.baselines.bits import bit_rows
from benchmarks.baselines.paper import TABLE_2
from benchmarks.baselines.results import record, training_rows
from numpy.typing import NDArray

from tiacam.capture.attacks import ATTACKS
from tiacam.evaluate.metrics import estimate_mean
from tiacam.evaluate.record import Row

Readings = Mapping[str, NDArray[Any]]


def measure(name: str, found: Readings, seed: int) -> Iterator[Row]:
    """What the mark costs, then the bits under every attack and capture; rows of the paper keep its names."""
    messages = found["messages"]
    yield Row.of("marked picture", "PSNR", estimate_mean(found["psnr"], seed))
    yield Row.of("marked picture", "SSIM", estimate_mean(found["ssim"], seed))
    yield from training_rows(found)
    for key in found:
        where, _, what = key.partition("/")
        if where in ("marked", "unmarked"):
            prefix = "unmarked " if where == "unmarked" else ""
            row = ATTACKS[what].paper or what
            yield from bit_rows(direction(row, what), found[key], messages, seed, prefix=prefix)
        elif what and where != "training":
            paper = TABLE_2[name][where][messages.shape[1] > 30] if what == "rectified" else None
            yield from bit_rows(f"{where} {what}", found[key], messages, seed, paper)


def direction(row: str, attack: str) -> str:
    """The paper's ± rows stand for two attacks; here each keeps its own sign."""
    return row.replace("±", attack.removeprefix("scaling")[0]) if "±" in row else row


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("readings", type=Path)
    parser.add_argument("--out", type=Path, default=Path("results"))
    options = parser.parse_args(arguments)

    command = f"python -m benchmarks.baselines.watermarks.measure {shlex.join(sys.argv[1:])}"
    saved = dict(np.load(options.readings))
    seed = int(saved.pop("seed"))
    for system in dict.fromkeys(key.partition("/")[0] for key in saved):
        found = {key.partition("/")[2]: value for key, value in saved.items() if key.startswith(f"{system}/")}
        rows = list(measure(system.partition("-")[0], found, seed))
        record(
            options.out,
            "watermark",
            f"{system}@{found['digest']}",
            command,
            seed,
            len(found["messages"]),
            rows,
        )
        print(f"{system} measured", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
