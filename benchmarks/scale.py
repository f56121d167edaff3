"""How searching grows with the registry: 1,000 to 1,000,000 records, every kind of index, one fresh process each.

    OMP_NUM_THREADS=1 python -m benchmarks.scale --cache CACHE --records heldout/coco.tar coco/shard-*.tar --scratch DIR

CACHE holds the features (benchmarks.scale_features) and those of simulated captures of the first records
(benchmarks.scale_captures). A registry of every size is made in DIR and kept there. Queries come in batches of 20, as
the views of one photo do; each asks for 50 neighbours, as reading does. Written: results/scale.json.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.record import ROOT, write
from benchmarks.scale_captures import captures_of
from benchmarks.scale_features import features_of
from benchmarks.scale_ledger import fill, resample
from numpy.typing import NDArray
from scipy import stats

from tiacam.capture import Kind
from tiacam.errors import DataError
from tiacam.model import FeatureModel, load_model

SIZES = (1_000, 10_000, 100_000, 1_000_000)
# milvus-lite is for tests: what it costs says nothing about a server, only that the same calls work.
MOST = {"exact": 10**6, "signs": 10**6, "usearch": 10**6, "milvus": 10**3}
VIEWS = ("whole photo", "cut out by its true corners")
SEED = 0

Row = dict[str, Any]


@dataclass(frozen=True)
class Queries:
    """Captures of registered pictures, written to a file for the child processes."""

    path: Path
    kinds: list[str]  # of each query, such as "screen, whole photo"


def load_real(cache: Path, model: FeatureModel, archives: list[Path]) -> NDArray[np.float16]:
    return np.concatenate([features_of(cache, model, archive, registered=True) for archive in archives])


def save_queries(cache: Path, model: FeatureModel, scratch: Path, count: int) -> Queries:
    features, numbers, kinds = [], [], []
    for kind in Kind:
        try:
            captured = captures_of(cache, model, kind)[:count]  # (N, 2, D)
        except FileNotFoundError as error:
            raise DataError(f"{error}: run benchmarks.scale_captures first") from error
        for place, view in enumerate(VIEWS):
            features.append(captured[:, place])
            numbers.append(np.arange(1, len(captured) + 1))
            kinds += [f"{kind}, {view}"] * len(captured)
    path = scratch / "queries.npz"
    np.savez(path, features=np.concatenate(features), numbers=np.concatenate(numbers))
    return Queries(path, kinds)


def run_child(path: Path, index: str, queries: Queries, model: str, rounds: int) -> Row:
    command = [sys.executable, "-m", "benchmarks.scale_child", str(path), index, str(queries.path), model]
    done = subprocess.run(
        [*command, str(rounds)], capture_output=True, text=True, check=False, cwd=Path(__file__).parents[1]
    )
    if done.returncode:
        raise RuntimeError(done.stderr)
    result: Row = json.loads(done.stdout)
    return result


def index_bytes(path: Path) -> int:
    folder = path.with_name(f"{path.name}.index")
    return sum(file.stat().st_size for file in folder.glob("*.*")) if folder.exists() else 0


def measure(path: Path, size: int, kind: str, queries: Queries, model: str, rounds: int) -> Row:
    """Build the index in one process, use it in another."""
    shutil.rmtree(path.with_name(f"{path.name}.index"), ignore_errors=True)
    shutil.rmtree(path.with_name("milvus.db"), ignore_errors=True)
    index = f"milvus://{path.with_name('milvus.db')}" if kind == "milvus" else kind
    first = run_child(path, index, queries, model, 0)
    again = run_child(path, index, queries, model, rounds)
    right = np.array(again.pop("right"))
    recall = {
        name: share(int(right[chosen].sum()), int(chosen.sum()))
        for name in dict.fromkeys(queries.kinds)
        if (chosen := np.array([kind == name for kind in queries.kinds])).any()
    }
    return {
        "records": size,
        "kind": kind,
        "build": first["start"],
        "start": again.pop("start"),
        "file_bytes_per_record": 0.0 if kind == "exact" else round(index_bytes(path) / size, 1),
        "memory_bytes_per_record": round(again["memory_mb"] * 2**20 / size, 1),
        **again,
        "recall": recall,
    }


def share(count: int, trials: int) -> Row:
    """A share with its two-sided 95% Clopper-Pearson interval."""
    low = float(stats.beta.ppf(0.025, count, trials - count + 1)) if count else 0.0
    high = float(stats.beta.ppf(0.975, count + 1, trials - count)) if count < trials else 1.0
    return {"count": count, "trials": trials, "rate": count / trials, "low": low, "high": high}


def slope(rows: list[Row], kind: str) -> Row:
    """The exponent with which the processor's time for a batch grows, from 10,000 records on."""
    points = [
        (r["records"], r["cpu"]["p50_ms"]) for r in rows if r["kind"] == kind and r["records"] >= 10_000
    ]
    if len(points) < 2:
        return {"kind": kind, "exponent": None}
    exponent = np.polyfit(*np.log(np.array(points)).T, 1)[0]
    return {"kind": kind, "exponent": round(float(exponent), 3), "points": points}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cache", type=Path, required=True)
    parser.add_argument("--records", type=Path, nargs="+", required=True)
    parser.add_argument("--scratch", type=Path, required=True)
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    parser.add_argument("--kinds", nargs="+", default=list(MOST))
    parser.add_argument("--captures", type=int, default=100, help="of each kind")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--keep", action="store_true", help="add to the rows of an earlier run")
    parser.add_argument("--model", default=None)
    parser.add_argument("--out", type=Path, default=ROOT / "results" / "scale.json")
    args = parser.parse_args()
    model = load_model(args.model) if args.model else load_model()
    args.scratch.mkdir(parents=True, exist_ok=True)
    real = load_real(args.cache, model, args.records)
    queries = save_queries(args.cache, model, args.scratch, args.captures)
    rows: list[Row] = json.loads(args.out.read_text())["rows"] if args.keep else []
    rows = [row for row in rows if not (row["records"] in args.sizes and row["kind"] in args.kinds)]
    for size in args.sizes:
        path = args.scratch / f"{size}.tiacam"
        fill(path, resample(real, size, SEED), size, model.id)
        for kind in (kind for kind in args.kinds if size <= MOST[kind]):
            rows.append(measure(path, size, kind, queries, model.id, args.rounds))
            print(json.dumps(rows[-1]), flush=True)
            save(args, model, rows, len(real), len(queries.kinds))


def save(args: argparse.Namespace, model: FeatureModel, rows: list[Row], real: int, queries: int) -> None:
    write(
        args.out,
        command=f"python -m benchmarks.scale --records {' '.join(path.name for path in args.records)}",
        seed=SEED,
        n=queries,
        rows=rows,
        model=model.id,
        real_features=real,
        resampled="beyond the real features: copies of them under random signed permutations of the axes",
        batch="20 queries, 50 neighbours each",
        growth=[slope(rows, kind) for kind in dict.fromkeys(row["kind"] for row in rows)],
    )


if __name__ == "__main__":
    main()
