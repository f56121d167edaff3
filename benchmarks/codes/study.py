"""Run the study behind docs/decisions/0002: exact-recovery rate against cosine for every code, and decode times.

OMP_NUM_THREADS=1 python -m benchmarks.codes.study            # writes results/codes.json and results/codes.png
OMP_NUM_THREADS=1 python -m benchmarks.codes.study --quick    # a minute, to another place with --out
"""

from __future__ import annotations

import argparse
import json
import platform
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

from tqdm import tqdm

from .channel import SIGNS_ONLY, UNQUANTISED
from .contest import (
    CHOSEN,
    COARSE,
    LENGTHS,
    MAIN_BITS,
    MAIN_LEVELS,
    REFERENCE,
    SEED_BITS,
    TOGETHER,
    Entry,
    bch_entries,
    cosines,
    decoders,
    entries,
)
from .limits import least_cosine, least_error, most_bits
from .listpolar import ListPolar
from .plot import CURVES, plot
from .trials import Code, Rate, compare_times, recover

Row = dict[str, Any]
SEED = 20
FAR_TRIALS = 100  # where the rate is all but 0 or 1
# The cosine at which each length must recover 99%.
DEMANDED = {512: 0.70, 256: 0.80}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--quick", action="store_true", help="few trials and curves: a minute instead of twenty"
    )
    parser.add_argument(
        "--out", type=Path, default=Path("results"), help="folder for codes.json and codes.png"
    )
    args = parser.parse_args()
    commit = subprocess.run(
        ["git", "rev-parse", "HEAD"], capture_output=True, text=True, check=True
    ).stdout.strip()
    rows = list(measure(args.quick))
    args.out.mkdir(parents=True, exist_ok=True)
    (args.out / "codes.json").write_text(write(record(rows, commit)))
    plot(rows, args.out / "codes.png")


def measure(quick: bool) -> Iterator[Row]:
    """All rows of the record."""
    for n in LENGTHS:
        yield from limit_rows(n)
        yield from bch_rows(n, 0 if quick else 50)
        if not quick:
            yield from time_rows(n)
        chosen = [e for e in entries(n, 0.03 if quick else 1.0) if not quick or is_drawn(e)]
        found = [
            row for entry in tqdm(chosen, desc=f"n={n}", file=sys.stderr) for row in curve_rows(entry, quick)
        ]
        yield from found
        yield from demanded_rows(n, 200 if quick else 10_000)
        yield from floor_rows(n, 100 if quick else 2000)
        yield from told_rows(n, 200 if quick else 4000)
        yield from threshold_rows(found)


def is_drawn(entry: Entry) -> bool:
    """Whether the plot shows this entry; the quick study measures no other."""
    return (entry.name, entry.bits, entry.levels) in {curve[:3] for curve in CURVES}


def curve_rows(entry: Entry, quick: bool) -> Iterator[Row]:
    """Recovery of one entry at every cosine."""
    for cosine, near in cosines(entry).items():
        if quick and not (near and cosine in COARSE):
            continue
        found = recover(entry.code, cosine, entry.levels, entry.trials if near else FAR_TRIALS, SEED)
        at = {"n": entry.code.n, "bits": entry.bits, "levels": entry.levels, "cosine": cosine}
        yield rate_row(entry.name, "recovered", found.listed, at)
        yield rate_row(entry.name, "recovered at once", found.first, at)


def demanded_rows(n: int, trials: int) -> Iterator[Row]:
    """The chosen code at the cosine that the product demands, with draws of their own."""
    for bits in (48, MAIN_BITS):
        found = recover(decoders(n, bits)[CHOSEN], DEMANDED[n], MAIN_LEVELS, trials, SEED + 1)
        at = {"n": n, "bits": bits, "levels": MAIN_LEVELS, "cosine": DEMANDED[n]}
        yield rate_row(CHOSEN, "recovered where demanded", found.listed, at)


def floor_rows(n: int, trials: int) -> Iterator[Row]:
    """The chosen code far below its knee: how often a mere look-alike would read the message."""
    for bits in SEED_BITS:
        for cosine in (0.45, 0.4, 0.35, 0.3, 0.25, 0.2):
            found = recover(decoders(n, bits)[CHOSEN], cosine, MAIN_LEVELS, trials, SEED + 3)
            at = {"n": n, "bits": bits, "levels": MAIN_LEVELS, "cosine": cosine}
            yield rate_row(CHOSEN, "recovered at low cosine", found.listed, at)


def told_rows(n: int, trials: int) -> Iterator[Row]:
    """What knowing the cosine would gain the chosen decoder, on the same draws at the limit's cosine."""
    for levels in (SIGNS_ONLY, MAIN_LEVELS):
        cosine = round(least_cosine(n, MAIN_BITS, levels), 2)
        at = {"n": n, "bits": MAIN_BITS, "levels": levels, "cosine": cosine}
        for told, metric in (
            (False, "recovered at the limit"),
            (True, "recovered at the limit, told the cosine"),
        ):
            found = recover(decoders(n, MAIN_BITS)[CHOSEN], cosine, levels, trials, SEED + 2, told=told)
            yield rate_row(CHOSEN, metric, found.listed, at)


def limit_rows(n: int) -> Iterator[Row]:
    """Normal approximation: recovery at most, bits at most, cosine at least."""
    for levels in (SIGNS_ONLY, 2, 4, 8, UNQUANTISED):
        for bits in SEED_BITS:
            at: Row = {"n": n, "bits": bits, "levels": levels}
            yield exact_row("limit", "least cosine at 99%", least_cosine(n, bits, levels), at)
            for cosine in COARSE[1:]:
                value = 1 - least_error(n, bits, cosine, levels)
                yield exact_row("limit", "recovered", value, at | {"cosine": cosine})
        for cosine in COARSE[1:]:
            value = most_bits(n, cosine, levels, 0.01)
            yield exact_row("limit", "bits at 99%", value, {"n": n, "levels": levels, "cosine": cosine})


def bch_rows(n: int, trials: int) -> Iterator[Row]:
    """The algebraic code: its exact rate everywhere, and real decoding as a check at two cosines."""
    for bits, code in bch_entries(n).items():
        name = "BCH, hard decisions"
        at = {"n": n, "bits": code.k, "levels": SIGNS_ONLY, "asked_bits": bits}
        for cosine in COARSE:
            yield exact_row(name, "recovered", code.recovery(cosine), at | {"cosine": cosine})
        if trials and bits == MAIN_BITS:
            for cosine in (0.95, 0.9):
                found = recover(code, cosine, SIGNS_ONLY, trials, SEED)
                yield rate_row(name, "recovered by decoding", found.first, at | {"cosine": cosine})


def time_rows(n: int, rounds: int = 41) -> Iterator[Row]:
    """Time of each decoder as a multiple of one OSD-2 decode, one word at a time and sixteen together."""
    contestants: dict[str, Code] = {**decoders(n, MAIN_BITS), TOGETHER: ListPolar(n, MAIN_BITS)}
    for name, code in contestants.items():
        for batch in (1, 16):
            ratio = compare_times(code, contestants[REFERENCE], batch, rounds, SEED)
            yield exact_row(
                name, f"time per word, {batch} together, in OSD-2 decodes", ratio, {"n": n, "bits": code.k}
            )
    bch = bch_entries(n)[MAIN_BITS]
    ratio = compare_times(bch, contestants[REFERENCE], 1, 5, SEED)
    at = {"n": n, "bits": bch.k}
    yield exact_row("BCH, hard decisions", "time per word, 1 together, in OSD-2 decodes", ratio, at)


def threshold_rows(rows: list[Row]) -> Iterator[Row]:
    """Least cosine from which on each curve stays at 99% or above, interpolated between measured points."""
    curves: dict[tuple[str, int, int, int], list[Row]] = {}
    for row in rows:
        if row["metric"] == "recovered":
            curves.setdefault((row["name"], row["n"], row["bits"], row["levels"]), []).append(row)
    for (name, n, bits, levels), points in curves.items():
        at = {"n": n, "bits": bits, "levels": levels}
        yield {
            "name": name,
            "metric": "cosine at 99%",
            "value": crossing(points, "value"),
            "low": crossing(points, "high"),
            "high": crossing(points, "low"),
            **at,
        }


def crossing(points: list[Row], field: str, wanted: float = 0.99) -> float | None:
    """Where a curve, followed down from the highest cosine, first falls below `wanted`; None if it starts below."""
    falling = sorted(
        (p for p in points if p["trials"] > FAR_TRIALS or p["value"] < wanted), key=lambda p: -p["cosine"]
    )
    for above, below in zip([None, *falling], falling, strict=False):
        if below[field] < wanted:
            if above is None:
                return None
            share = (above[field] - wanted) / (above[field] - below[field])
            return float(above["cosine"] - share * (above["cosine"] - below["cosine"]))
    return None


def rate_row(name: str, metric: str, rate: Rate, at: Row) -> Row:
    value = {"value": rate.value, "low": rate.low, "high": rate.high, "trials": rate.trials}
    return {"name": name, "metric": metric, **value, **at}


def exact_row(name: str, metric: str, value: float, at: Row) -> Row:
    return {"name": name, "metric": metric, "value": value, "low": None, "high": None, **at}


def record(rows: list[Row], commit: str) -> Row:
    """The rows with what is needed to run them again; `commit` is the one the run began at."""
    libraries = ("numpy", "scipy", "numba", "galois", "matplotlib")
    return {
        "command": " ".join(["OMP_NUM_THREADS=1 python -m benchmarks.codes.study", *sys.argv[1:]]),
        "commit": commit,
        "seed": SEED,
        "versions": {"python": platform.python_version(), **{name: version(name) for name in libraries}},
        "device": f"{platform.machine()} CPU, one thread, other processes on the machine",
        "n": sum(row.get("trials", 0) for row in rows if row["metric"] != "recovered at once"),
        "rows": rows,
    }


def write(result: Row) -> str:
    """JSON with one row a line, so that a change of the record reads as a change of rows."""
    head = json.dumps({key: value for key, value in result.items() if key != "rows"}, indent=1)
    rows = ",\n".join("  " + json.dumps(shorten(row)) for row in result["rows"])
    return f'{head[:-2]},\n "rows": [\n{rows}\n ]\n}}\n'


def shorten(row: Row) -> Row:
    return {key: round(value, 5) if isinstance(value, float) else value for key, value in row.items()}


if __name__ == "__main__":
    main()
