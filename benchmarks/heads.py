"""How much of a message each head reads from a feature of a given cosine, and from unrelated pictures.

    python -m benchmarks.heads

The reference head is the paper's (Eqs. 5-9); it is fitted to unit features and to features as long as a layer's outputs
(norm √D), because the bias of Ψ weighs more against short ones. The keyed head gives a message or none, whatever the
length of the feature. Random features have exact cosines; the unrelated pictures are the sample pictures of the package
under the default model, each registered and read from all the others. Written: results/reference-head.json.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.record import ROOT, write
from numpy.typing import NDArray
from tqdm import tqdm

from tiacam.image import load, square
from tiacam.model import load_model
from tiacam.watermark import Decision, KeyedHead, Message, Reading, ReferenceHead

WIDTH = 512
BITS = (30, 100, 200)
COSINES = (1.0, 0.9, 0.7, 0.5, 0.3, 0.0, -0.3)
PROBES = 5  # of one registered feature
SECRET = bytes(range(32))
PICTURES = ROOT / "src" / "tiacam" / "cli" / "pictures"

Features = NDArray[np.float32]
Read = Callable[[Features, Message, Features], list[Reading]]  # feature, message, probes (P, D)


def draw_bytes(feature: Features) -> bytes:
    """What is random in a mark, drawn from the feature so that a run can be repeated."""
    return hashlib.sha256(feature.tobytes()).digest()


def read_keyed(feature: Features, message: Message, probes: Features) -> list[Reading]:
    drawn = draw_bytes(feature)
    mark = KeyedHead().bind(feature, message, SECRET, salt=drawn[:16], seed=int.from_bytes(drawn[16:22]))
    return [KeyedHead().read(probe, mark, SECRET) for probe in probes]


def read_reference(feature: Features, message: Message, probes: Features) -> list[Reading]:
    mark = ReferenceHead().bind(feature, message, salt=draw_bytes(feature)[:16])
    return [ReferenceHead().read(probe, mark) for probe in probes]


def read_reference_long(feature: Features, message: Message, probes: Features) -> list[Reading]:
    norm = np.float32(math.sqrt(len(feature)))
    return read_reference(norm * feature, message, norm * probes)


@dataclass(frozen=True)
class Group:
    """What was read from several probes of one registered feature."""

    message: Message
    readings: list[Reading]


HEADS: dict[str, Read] = {
    "keyed": read_keyed,
    "reference, unit features": read_reference,
    "reference, layer outputs": read_reference_long,
}


def draw_features(rng: np.random.Generator, count: int) -> Features:
    vectors = rng.standard_normal((count, WIDTH))
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), np.float32)


def draw_message(rng: np.random.Generator, bits: int) -> Message:
    return Message.from_bits(rng.integers(0, 2, bits).tolist())


def move_to(cosine: float, feature: Features, directions: Features) -> Features:
    """Unit features (P, D) of exactly this cosine to `feature`."""
    across = directions - np.outer(directions @ feature, feature)
    across /= np.linalg.norm(across, axis=1, keepdims=True)
    return (cosine * feature + math.sqrt(1 - cosine**2) * across).astype(np.float32)


def share_right(message: Message, found: Message | None) -> float:
    """Bits read right; a head that gives no message leaves one to guess: one half."""
    return 0.5 if found is None else float(np.mean(np.equal(message.bits, found.bits)))


def summarise(shown: str, head: str, groups: list[Group], decision: Decision) -> dict[str, Any]:
    """One row from the readings of each registered feature; the interval is over registered features."""
    means = [
        float(np.mean([share_right(group.message, found.message) for found in group.readings]))
        for group in groups
    ]
    pairs = [(group.message, found) for group in groups for found in group.readings]
    claimed = [found.message is not None and decision.accepts(found.correlation) for _, found in pairs]
    return {
        "shown": shown,
        "bits": groups[0].message.length,
        "head": head,
        "registered": len(groups),
        "readings": len(pairs),
        "bit_accuracy": round(float(np.mean(means)), 4),
        "plus_minus_95": round(1.96 * float(np.std(means, ddof=1)) / math.sqrt(len(means)), 4),
        "exact": round(float(np.mean([wanted == found.message for wanted, found in pairs])), 4),
        "no_message": round(float(np.mean([found.message is None for _, found in pairs])), 4),
        "claimed": round(float(np.mean(claimed)), 4) if head == "keyed" else None,  # the paper has no test
    }


def measure_cosines(seed: int, fits: int) -> Iterator[dict[str, Any]]:
    settings = [(bits, cosine, name) for bits in BITS for cosine in (*COSINES, None) for name in HEADS]
    for bits, cosine, name in tqdm(settings):
        rng = np.random.default_rng([seed, bits])  # the same features and messages for every head and cosine
        groups = []
        for _ in range(fits):
            feature, message = draw_features(rng, 1)[0], draw_message(rng, bits)
            drawn = draw_features(rng, PROBES)
            probes = drawn if cosine is None else move_to(cosine, feature, drawn)
            groups.append(Group(message, HEADS[name](feature, message, probes)))
        shown = "unrelated random features" if cosine is None else f"cosine {cosine:g}"
        yield summarise(shown, name, groups, Decision(WIDTH))


def measure_pictures(seed: int) -> Iterator[dict[str, Any]]:
    model = load_model(threads=1)
    files = sorted(PICTURES.glob("*.jpg"))
    features = model.extract(np.stack([square(load(path).pixels, model.card.input_size) for path in files]))
    decision = Decision(model.card.null_dimensions)
    for bits in BITS:
        for name, read in HEADS.items():
            rng = np.random.default_rng([seed, bits])
            groups = []
            for place, feature in enumerate(features):
                message = draw_message(rng, bits)
                groups.append(Group(message, read(feature, message, np.delete(features, place, axis=0))))
            yield summarise(f"{len(files)} unrelated pictures, {model.id}", name, groups, decision)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--fits", type=int, default=60, help="registered features for each row")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=ROOT / "results" / "reference-head.json")
    args = parser.parse_args()
    rows = [*measure_cosines(args.seed, args.fits), *measure_pictures(args.seed)]
    write(
        args.out,
        command="python -m benchmarks.heads",
        seed=args.seed,
        n=sum(int(row["readings"]) for row in rows),
        rows=rows,
        chance="bit accuracy 0.5; a reading without a message counts as 0.5",
        claimed="share of readings with a message and a p-value of at most one in a million, one trial each",
    )
    for row in rows:
        print(json.dumps(row))


if __name__ == "__main__":
    main()
