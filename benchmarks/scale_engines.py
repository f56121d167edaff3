"""Which index, and how features are stored in it: bytes, build, query and recall of the contestants side by side.

    OMP_NUM_THREADS=1 python -m benchmarks.scale_engines --cache CACHE --records heldout/coco.tar coco/shard-0[0-2].tar

Real features alone, without a ledger. Queries are simulated captures, cut out by their true corners, in batches of 20;
a query counts as found if the right record is in the list of 100 that the ledger's features then put in order. All
times are those of one processor core: on a busy machine only these can be compared. faiss comes with milvus-lite.
Written: results/index-engines.json.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import faiss
import numpy as np
from benchmarks.record import ROOT, write
from benchmarks.scale import load_real, share
from benchmarks.scale_captures import captures_of
from numpy.typing import NDArray
from usearch.index import Index as Graph

from tiacam.capture import Kind
from tiacam.model import load_model
from tiacam.registry.index import ExactIndex
from tiacam.registry.index_signs import SignsIndex

VIEWS = 20
LISTED = 100
BLOCK = 2048

Features = NDArray[np.float32]
Found = NDArray[np.int64]  # (Q, LISTED)
Row = dict[str, Any]


@dataclass(frozen=True)
class Contestant:
    """A built index: how it searches, and how many bytes it keeps."""

    name: str
    search: Callable[[Features], Found]
    size: int


def exact(features: Features) -> Iterator[Contestant]:
    index = ExactIndex(features.shape[1])
    index.add(np.arange(len(features)), features)
    yield Contestant("exact, fp32", lambda q: stack(index.search(q, LISTED)), features.nbytes)


def exact_stored(dtype: type, name: str) -> Callable[[Features], Iterator[Contestant]]:
    """A matrix product whose rows are kept smaller and widened block by block."""

    def build(features: Features) -> Iterator[Contestant]:
        scale = 127 / np.abs(features).max(axis=1, keepdims=True) if dtype is np.int8 else np.float32(1)
        rows = np.round(features * scale).astype(dtype) if dtype is np.int8 else features.astype(dtype)

        def search(queries: Features) -> Found:
            blocks = [
                rows[start : start + BLOCK].astype(np.float32) @ queries.T
                for start in range(0, len(rows), BLOCK)
            ]
            cosines = np.concatenate(blocks) / scale
            return np.argpartition(-cosines, LISTED, axis=0)[:LISTED].T

        yield Contestant(name, search, rows.nbytes)

    return build


def signs(features: Features) -> Iterator[Contestant]:
    index = SignsIndex(features.shape[1])
    index.add(np.arange(len(features)), features)
    yield Contestant("signs, numpy", lambda q: stack(index.search(q, LISTED)), size_of(index.save))


def faiss_signs(features: Features) -> Iterator[Contestant]:
    index = faiss.IndexBinaryFlat(features.shape[1])
    index.add(np.packbits(features > 0, axis=1))
    size = size_of(lambda path: faiss.write_index_binary(index, str(path)))
    yield Contestant("signs, faiss", lambda q: index.search(np.packbits(q > 0, axis=1), LISTED)[1], size)


def usearch_graph(dtype: str, connectivity: int) -> Callable[[Features], Iterator[Contestant]]:
    def build(features: Features) -> Iterator[Contestant]:
        metric, convert = ("hamming", pack) if dtype == "b1" else ("cos", same)
        graph = Graph(
            ndim=features.shape[1], metric=metric, dtype=dtype, connectivity=connectivity, expansion_add=128
        )
        graph.add(np.arange(len(features)), convert(features), threads=1)
        for breadth in (128, 256, 512):
            graph.expansion_search = breadth
            yield Contestant(
                f"usearch HNSW {connectivity}, {dtype}, breadth {breadth}",
                lambda q: graph.search(convert(q), LISTED, threads=1).keys.astype(np.int64),
                size_of(lambda path: graph.save(str(path))),
            )

    return build


def faiss_cells(key: str, probes: tuple[int, ...]) -> Callable[[Features], Iterator[Contestant]]:
    def build(features: Features) -> Iterator[Contestant]:
        index = faiss.index_factory(features.shape[1], key, faiss.METRIC_INNER_PRODUCT)
        index.train(features)
        index.add(features)
        for probe in probes:
            name = "nprobe" if "IVF" in key else "efSearch"
            faiss.ParameterSpace().set_index_parameter(index, name, probe)
            size = size_of(lambda path: faiss.write_index(index, str(path)))
            yield Contestant(f"faiss {key}, {name} {probe}", lambda q: index.search(q, LISTED)[1], size)

    return build


def pack(features: Features) -> NDArray[np.uint8]:
    return np.packbits(features > 0, axis=1)


def same(features: Features) -> Features:
    return features


def stack(hits: list[Any]) -> Found:
    return np.stack([hit.numbers for hit in hits])


def size_of(save: Callable[[Path], object]) -> int:
    with tempfile.TemporaryDirectory() as folder:
        save(Path(folder) / "index")
        return (Path(folder) / "index").stat().st_size


BUILDERS: tuple[Callable[[Features], Iterator[Contestant]], ...] = (
    exact,
    exact_stored(np.float16, "exact, fp16"),
    exact_stored(np.int8, "exact, int8"),
    signs,
    faiss_signs,
    usearch_graph("i8", 16),
    usearch_graph("b1", 16),
    usearch_graph("b1", 32),
    faiss_cells("IVF512,SQ8", (16, 64)),
    faiss_cells("IVF512,PQ96x8", (16, 64)),
    faiss_cells("HNSW16,SQ8", (128, 256)),
)


def measure(contestant: Contestant, queries: Features, truth: Found, count: int, build_s: float) -> Row:
    seconds, right = [], []
    for start in range(0, len(queries), VIEWS):
        begin = time.process_time()
        found = contestant.search(queries[start : start + VIEWS])
        seconds.append(time.process_time() - begin)
        right.append((found == truth[start : start + VIEWS, None]).any(axis=1))
    hits = np.concatenate(right)
    return {
        "index": contestant.name,
        "bytes_per_record": round(contestant.size / count, 1),
        "build_cpu_s": round(build_s, 2),
        "batch_cpu_ms": round(1e3 * float(np.median(seconds)), 2),
        "found": share(int(hits.sum()), len(hits)),
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cache", type=Path, required=True)
    parser.add_argument("--records", type=Path, nargs="+", required=True)
    parser.add_argument("--model", default=None)
    parser.add_argument("--out", type=Path, default=ROOT / "results" / "index-engines.json")
    args = parser.parse_args()
    model = load_model(args.model) if args.model else load_model()
    faiss.omp_set_num_threads(1)
    features = load_real(args.cache, model, args.records).astype(np.float32)
    features /= np.linalg.norm(features, axis=1, keepdims=True)
    captured = [captures_of(args.cache, model, kind)[:100, 1].astype(np.float32) for kind in Kind]
    queries, truth = np.concatenate(captured), np.concatenate([np.arange(len(c)) for c in captured])
    rows: list[Row] = []
    for build in BUILDERS:
        begin = time.process_time()
        for contestant in build(features):
            build_s = time.process_time() - begin
            rows.append(measure(contestant, queries, truth, len(features), build_s))
            print(json.dumps(rows[-1]), flush=True)
            begin = time.process_time() - build_s  # the next is the same build, searched otherwise
            save(args, rows, len(features), len(queries), model.id)


def save(args: argparse.Namespace, rows: list[Row], records: int, queries: int, model: str) -> None:
    """After every contestant, so that a stopped run leaves what it has."""
    write(
        args.out,
        command=f"python -m benchmarks.scale_engines --records {' '.join(p.name for p in args.records)}",
        seed=0,
        n=records,
        rows=rows,
        model=model,
        queries=queries,
    )


if __name__ == "__main__":
    main()
