"""Records of the systems that were not run: what the paper reports for them, marked as reported.

    python -m benchmarks.baselines.reported

Written: results/reported--NAME.json for DWSF, MuST and WOFA. Their metric says "reported", their n is 0.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.baselines.paper import S4_GEOMETRIC, TABLE_2
from benchmarks.baselines.results import COMMIT

from tiacam.evaluate.record import Result, Row, write_result

NAMES = ("dwsf", "must", "wofa")


def reported_rows(name: str) -> Iterator[Row]:
    """Screen, print and screenshot at 30 and 100 bits, then the geometric attacks; the value is the paper's own."""
    for capture, shares in TABLE_2[name].items():
        for bits, share in zip((30, 100), shares, strict=True):
            yield Row(f"{capture}, {bits} bits", "reported bit accuracy", share, None, None, share)
    for attack, share in S4_GEOMETRIC[name].items():
        yield Row(attack, "reported bit accuracy", share, None, None, share)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", type=Path, default=Path("results"))
    options = parser.parse_args(arguments)
    for name in NAMES:
        result = Result(
            table="reported",
            model=name,
            command="python -m benchmarks.baselines.reported",
            commit=COMMIT,
            seed=0,
            versions={},
            device="none: quoted from the paper, not run here",
            n=0,
            rows=tuple(reported_rows(name)),
        )
        write_result(options.out, result)
    return 0


if __name__ == "__main__":
    sys.exit(main())
