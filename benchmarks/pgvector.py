"""How often the server's approximate search misses the nearest record, and what that costs in time.

    python -m benchmarks.pgvector --gallery features-*.npy --noise features-flickr8k.npy

The gallery are real features (`benchmarks.scale_features`). A query is a gallery feature mixed with a feature of an
unrelated picture to the stated cosine, as a photo's is with its surroundings. `found` is the share of queries whose
exact nearest record is among the 50 that the search returns. Written: results/pgvector.json.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import psycopg
from benchmarks.record import ROOT, write
from numpy.typing import NDArray
from psycopg.types import TypeInfo

sys.path.insert(0, str(ROOT / "tests" / "registry"))
from registry_server import running_server

from tiacam.registry.postgres.halfvec import Halfvec, register_halfvec

LOOKED_AT = 50
Features = NDArray[np.float32]


def to_unit(features: NDArray[Any]) -> Features:
    wide = features.astype(np.float32)
    return np.asarray(wide / np.linalg.norm(wide, axis=1, keepdims=True), np.float32)


def mix(own: Features, other: Features, cosine: float) -> Features:
    """Unit rows with this cosine to `own`, the rest in the direction of `other`."""
    rest = to_unit(other - np.sum(own * other, axis=1, keepdims=True) * own)
    return np.asarray(cosine * own + np.sqrt(1 - cosine**2) * rest, np.float32)


def fill(connection: psycopg.Connection, gallery: Features) -> None:
    connection.execute("CREATE TABLE near (seq bigint PRIMARY KEY, model text, feature halfvec)")
    info = TypeInfo.fetch(connection, "halfvec")
    assert info is not None
    with (
        connection.cursor() as cursor,
        cursor.copy("COPY near (seq, model, feature) FROM STDIN (FORMAT BINARY)") as copy,
    ):
        copy.set_types(["int8", "text", info.oid])
        for number, row in enumerate(gallery):
            copy.write_row((number, "m", Halfvec(row.astype(np.float16).tobytes())))


def build(connection: psycopg.Connection, width: int, options: str) -> float:
    connection.execute("DROP INDEX IF EXISTS near_index")
    start = time.perf_counter()
    connection.execute(
        f"CREATE INDEX near_index ON near USING hnsw ((feature::halfvec({width})) halfvec_cosine_ops)"
        f" WITH ({options}) WHERE model = 'm'".encode()
    )
    return time.perf_counter() - start


def search(
    connection: psycopg.Connection, queries: Features, exact: NDArray[np.int64], breadth: int
) -> dict[str, Any]:
    connection.execute(f"SET hnsw.ef_search = {breadth}".encode())
    width = queries.shape[1]
    query = (
        f"SELECT seq FROM near WHERE model = 'm' ORDER BY feature::halfvec({width}) <=> %s LIMIT %s".encode()
    )
    found, milliseconds = 0, []
    for row, nearest in zip(queries, exact, strict=True):
        start = time.perf_counter()
        rows = connection.execute(query, (Halfvec(row.astype(np.float16).tobytes()), LOOKED_AT)).fetchall()
        milliseconds.append(1e3 * (time.perf_counter() - start))
        found += (int(nearest),) in rows
    return {"found": round(found / len(queries), 4), "ms": round(float(np.median(milliseconds)), 2)}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--gallery", nargs="+", type=Path, required=True)
    parser.add_argument("--noise", type=Path, required=True)
    parser.add_argument("--queries", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=ROOT / "results" / "pgvector.json")
    options = parser.parse_args()
    rng = np.random.default_rng(options.seed)
    gallery = to_unit(np.concatenate([np.load(path) for path in options.gallery]))
    noise = to_unit(np.load(options.noise))
    rows = []
    with running_server() as server, psycopg.connect(server.make_database(), autocommit=True) as connection:
        register_halfvec(connection)
        fill(connection, gallery)
        connection.execute("SET maintenance_work_mem = '512MB'")
        for made in ("m = 16, ef_construction = 64", "m = 24, ef_construction = 128"):
            seconds = build(connection, gallery.shape[1], made)
            for cosine in (0.3, 0.4, 0.5, 0.7):
                chosen = rng.integers(0, len(gallery), options.queries)
                others = noise[rng.integers(0, len(noise), options.queries)]
                queries = mix(gallery[chosen], others, cosine)
                exact = np.argmax(queries @ gallery.T, axis=1)
                for breadth in (100, 200, 400, 1000):
                    row = {
                        "index": made,
                        "built_s": round(seconds, 1),
                        "cosine": cosine,
                        "ef_search": breadth,
                    }
                    rows.append(row | search(connection, queries, exact, breadth))
                    print(rows[-1], file=sys.stderr, flush=True)
    write(
        options.out,
        command="python -m benchmarks.pgvector --gallery coco shards 00-02 --noise flickr8k",
        seed=options.seed,
        n=options.queries,
        records=len(gallery),
        rows=rows,
    )


if __name__ == "__main__":
    main()
