"""How many cells of an inverted index (IVF) must be probed to find what a decision could accept.

    OMP_NUM_THREADS=1 python -m benchmarks.scale_cells --cache CACHE --records heldout/coco.tar coco/shard-0[0-2].tar

Real features in 512 cells, simulated captures as queries (whole photos and cut out), by the cosine that the capture has
with its record. docs/scale.md works out a cluster from it. Written: results/index-cells.json.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import faiss
import numpy as np
from benchmarks.record import ROOT, write
from benchmarks.scale import load_real, share
from benchmarks.scale_captures import captures_of

from tiacam.capture import Kind
from tiacam.model import load_model

CELLS = 512
PROBED = (2, 4, 8, 16, 32, 64)
COSINES = (0.0, 0.4, 0.5, 0.56, 0.6, 0.68)
LISTED, CAPTURES = 100, 100


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cache", type=Path, required=True)
    parser.add_argument("--records", type=Path, nargs="+", required=True)
    parser.add_argument("--model", default=None)
    parser.add_argument("--out", type=Path, default=ROOT / "results" / "index-cells.json")
    args = parser.parse_args()
    model = load_model(args.model) if args.model else load_model()
    features = load_real(args.cache, model, args.records).astype(np.float32)
    features /= np.linalg.norm(features, axis=1, keepdims=True)
    captured = [captures_of(args.cache, model, kind)[:CAPTURES].astype(np.float32) for kind in Kind]
    queries = np.concatenate([views[:, place] for views in captured for place in (0, 1)])
    queries /= np.linalg.norm(queries, axis=1, keepdims=True)
    truth = np.tile(np.arange(CAPTURES), len(queries) // CAPTURES)
    genuine = np.einsum("nd,nd->n", queries, features[truth])
    index = faiss.index_factory(features.shape[1], f"IVF{CELLS},SQ8", faiss.METRIC_INNER_PRODUCT)
    index.train(features)
    index.add(features)
    rows = []
    for probed in PROBED:
        index.nprobe = probed
        found = (index.search(queries, LISTED)[1] == truth[:, None]).any(axis=1)
        for cosine in COSINES:
            near = genuine >= cosine
            counted = share(int(found[near].sum()), int(near.sum()))
            rows.append({"probed": probed / CELLS, "cosine_from": cosine, **counted})
            print(json.dumps(rows[-1]), flush=True)
    write(
        args.out,
        command=f"python -m benchmarks.scale_cells --records {' '.join(path.name for path in args.records)}",
        seed=0,
        n=len(features),
        rows=rows,
        model=model.id,
        queries=len(queries),
    )


if __name__ == "__main__":
    main()
