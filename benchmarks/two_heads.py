"""What each head reads from a feature of a given cosine to the registered one: the measurement behind decision 0001.

    OMP_NUM_THREADS=1 python -m benchmarks.two_heads            # writes results/two-heads.json
    OMP_NUM_THREADS=1 python -m benchmarks.two_heads --quick --out build/bench

Random features of 512 axes, no pictures. `ReferenceHead` (Eqs. 5-9): bits that come out right, for unit features and
for features as long as a layer's output. `KeyedHead`: messages that come back exactly; it knows exact and nothing, and
wrong ones are counted to prove it.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.record import ROOT, write
from numpy.typing import NDArray
from tqdm import tqdm

from tiacam.watermark import KeyedHead, Message, ReferenceHead
from tiacam.watermark.reference import ReferenceParameters

WIDTH = 512
LENGTHS = (30, 100, 200)
COSINES = (1.0, 0.9, 0.7, 0.5, 0.3, 0.1, 0.0, -0.1, -0.3)
LAYER_LENGTH = math.sqrt(WIDTH)  # of a feature whose axes have variance one
SEED = 3

Features = NDArray[np.float32]
Row = dict[str, Any]


@dataclass(frozen=True)
class Setting:
    """What the paper leaves open: the optimisation's parameters, and how long a feature is."""

    name: str
    length: float
    parameters: ReferenceParameters


SETTINGS = (
    Setting("unit features", 1.0, ReferenceParameters()),
    Setting("unit features, λ 1e-2", 1.0, ReferenceParameters(penalty=1e-2)),
    Setting("features of length √512", LAYER_LENGTH, ReferenceParameters()),
)


def draw(rng: np.random.Generator) -> Features:
    vector = rng.standard_normal(WIDTH)
    return np.asarray(vector / np.linalg.norm(vector), np.float32)


def at_cosine(cosine: float, feature: Features, rng: np.random.Generator) -> Features:
    """A random unit feature of exactly this cosine to `feature`."""
    other = draw(rng)
    across = other - (other @ feature) * feature
    return np.asarray(
        cosine * feature + math.sqrt(1 - cosine**2) * across / np.linalg.norm(across), np.float32
    )


def random_message(bits: int, rng: np.random.Generator) -> Message:
    return Message.from_bits(rng.integers(0, 2, bits).tolist())


def measure_reference(
    setting: Setting, bits: int, pairs: int, probes: int, rng: np.random.Generator
) -> Iterator[Row]:
    """Share of right bits over `pairs` registrations and `probes` features at each cosine."""
    head, length = ReferenceHead(setting.parameters), np.float32(setting.length)
    right: dict[float, list[float]] = {cosine: [] for cosine in COSINES}
    for _ in range(pairs):
        feature, message = draw(rng), random_message(bits, rng)
        mark = head.bind(length * feature, message, salt=rng.bytes(16))
        for cosine in COSINES:
            for _ in range(probes):
                read = head.read(length * at_cosine(cosine, feature, rng), mark).message
                assert read is not None
                right[cosine].append(np.mean(np.equal(read.bits, message.bits)))
    for cosine, shares in right.items():
        value, error = np.mean(shares), np.std(shares) / math.sqrt(len(shares))
        yield row("reference-1", setting.name, bits, cosine, value, 1.96 * error, len(shares)) | {
            "all_bits_right": round(float(np.mean(np.equal(shares, 1))), 4)
        }


def measure_keyed(bits: int, trials: int, rng: np.random.Generator) -> Iterator[Row]:
    head = KeyedHead()
    for cosine in COSINES:
        exact = wrong = 0
        for _ in range(trials):
            feature, message, secret = draw(rng), random_message(bits, rng), rng.bytes(32)
            mark = head.bind(feature, message, secret, salt=rng.bytes(16), seed=int(rng.integers(0, 1 << 48)))
            read = head.read(at_cosine(cosine, feature, rng), mark, secret).message
            exact += read == message
            wrong += read not in (None, message)
        value = exact / trials
        half = 1.96 * math.sqrt(value * (1 - value) / trials)
        yield row("keyed-1", "default", bits, cosine, value, half, trials) | {"wrong_messages": wrong}


def row(head: str, setting: str, bits: int, cosine: float, value: float, half: float, trials: int) -> Row:
    metric = "bits right" if head == "reference-1" else "messages exact"
    at: Row = {"head": head, "setting": setting, "bits": bits, "cosine": cosine}
    return at | {
        "metric": metric,
        "value": round(float(value), 4),
        "±": round(float(half), 4),
        "trials": trials,
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="a few seconds, coarse")
    parser.add_argument("--out", type=Path, default=ROOT / "results", help="folder for two-heads.json")
    args = parser.parse_args()
    pairs, probes, trials = (2, 5, 20) if args.quick else (20, 20, 400)
    rng = np.random.default_rng(SEED)
    rows: list[Row] = []
    for bits in tqdm(LENGTHS, unit="length", disable=None):
        for setting in SETTINGS:
            rows.extend(measure_reference(setting, bits, pairs, probes, rng))
        rows.extend(measure_keyed(bits, trials, rng))
    command = "python -m benchmarks.two_heads" + (" --quick" if args.quick else "")
    n = sum(found["trials"] for found in rows)
    write(args.out / "two-heads.json", command=command, seed=SEED, n=n, rows=rows)
    for found in rows:
        print(json.dumps(found, ensure_ascii=False))


if __name__ == "__main__":
    main()
