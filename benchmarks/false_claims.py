"""Does the keyed head ever return a wrong message, and do its p-values keep their word?

    nice -n 19 python -m benchmarks.false_claims

Three simulations on random unit features of 512 axes (not on pictures: what unrelated and look-alike *pictures* do is
in the model card and in the evaluation). Interrupted, it goes on from `--state`. Written: results/false-claims.json.

- unrelated: a fresh record each, probed by unrelated features; every probe goes through the whole of `KeyedHead.read`,
  although the product does not even try to decode at such cosines.
- faint: one fresh record and one probe each, of a cosine drawn uniformly from 0.3 to 0.6.
- statistic: how often the test statistic alone, without code and seal, passes at stated rates down to one in a million.
"""

from __future__ import annotations

import argparse
import json
import math
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.record import COMMIT, ROOT, write
from numpy.typing import NDArray
from scipy import stats
from tqdm import tqdm

from tiacam.watermark import Decision, KeyedHead, Mark, Message
from tiacam.watermark.code import polar_code
from tiacam.watermark.keyed import LEVEL_VALUES, SEED_BITS, _open
from tiacam.watermark.rotation import rotate

WIDTH = 512
BITS = 100
CHUNK = 1000  # trials between two lines of the state file
STEP = 0.02  # width of a bin of cosines
TEMPLATES = 200  # records whose statistic is tried
RATES = (1e-2, 1e-3, 1e-4, 1e-5, 1e-6)
HEAD = KeyedHead()
DECISION = Decision(WIDTH)

Features = NDArray[np.float32]
Counts = dict[str, int]


@dataclass(frozen=True)
class Bound:
    """A record with what only the simulation knows: feature, message and seed."""

    feature: Features
    message: Message
    secret: bytes
    seed: int
    mark: Mark


def draw_features(rng: np.random.Generator, count: int) -> Features:
    """Random directions (count, WIDTH)."""
    vectors = rng.standard_normal((count, WIDTH))
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), np.float32)


def draw_record(rng: np.random.Generator) -> Bound:
    feature, secret, seed = draw_features(rng, 1)[0], rng.bytes(32), int(rng.integers(0, 1 << SEED_BITS))
    message = Message.from_bits(rng.integers(0, 2, BITS).tolist())
    return Bound(
        feature, message, secret, seed, HEAD.bind(feature, message, secret, salt=rng.bytes(16), seed=seed)
    )


def move_to(cosine: float, feature: Features, direction: Features) -> Features:
    """A unit feature of exactly this cosine to `feature`."""
    across = direction - (direction @ feature) * feature
    return np.asarray(
        cosine * feature + math.sqrt(1 - cosine**2) * across / np.linalg.norm(across), np.float32
    )


def read_once(record: Bound, probe: Features) -> str:
    """What came of one reading; a claim needs the message and a p-value of at most one in a million."""
    reading = HEAD.read(probe, record.mark, record.secret)
    if reading.message is None:
        return "nothing"
    claimed = "claimed" if DECISION.accepts(reading.correlation) else "unclaimed"
    return f"{'right' if reading.message == record.message else 'wrong'} {claimed}"


def run_unrelated(rng: np.random.Generator) -> Counts:
    record = draw_record(rng)
    return dict(Counter(read_once(record, probe) for probe in draw_features(rng, CHUNK)))


def run_faint(rng: np.random.Generator) -> Counts:
    outcomes: Counter[str] = Counter()
    for cosine, direction in zip(rng.uniform(0.3, 0.6, CHUNK), draw_features(rng, CHUNK), strict=True):
        record = draw_record(rng)
        place = 0.3 + STEP * math.floor((cosine - 0.3) / STEP)
        outcomes[f"{place:.2f} {read_once(record, move_to(cosine, record.feature, direction))}"] += 1
    return dict(outcomes)


def template(record: Bound) -> Features:
    """The direction in feature space that the statistic compares a probe with: stored signs and levels, turned back."""
    parameters, commitment, _ = _open(record.mark, record.secret)
    signs = 1 - 2.0 * (commitment.masked ^ polar_code(parameters.directions, SEED_BITS).encode(record.seed))
    axes = np.stack(
        [rotate(axis, WIDTH, record.secret, record.mark.salt) for axis in np.eye(WIDTH, dtype=np.float32)]
    )
    turned = axes @ (signs * LEVEL_VALUES[commitment.levels]).astype(np.float32)
    return np.asarray(turned / np.linalg.norm(turned), np.float32)


@cache
def draw_templates() -> Features:
    """(TEMPLATES, WIDTH), the same in every chunk: turning one back costs as much as 500 readings."""
    rng = np.random.default_rng(0)
    return np.stack([template(draw_record(rng)) for _ in range(TEMPLATES)])


def run_statistic(rng: np.random.Generator) -> Counts:
    """Every probe with every template: the pairs are not all independent, each one alone is a random direction."""
    found = draw_features(rng, CHUNK) @ draw_templates().T  # (CHUNK, TEMPLATES)
    return {f"{rate:g}": int((found >= Decision(WIDTH, rate).threshold()).sum()) for rate in RATES}


PARTS: dict[str, Callable[[np.random.Generator], Counts]] = {
    "unrelated": run_unrelated,
    "faint": run_faint,
    "statistic": run_statistic,
}


@dataclass(frozen=True)
class Chunk:
    """What came of a thousand trials, and the commit that ran them."""

    part: str
    counts: Counts
    commit: str


def run_chunks(state: Path, seed: int, chunks: dict[str, int]) -> Iterator[Chunk]:
    """All chunks of all parts, those of an earlier run from its state file."""
    done: dict[tuple[str, int], Chunk] = {}
    if state.exists():
        for line in state.read_text(encoding="utf-8").splitlines():
            entry = json.loads(line)
            if entry["seed"] == seed:
                done[entry["part"], entry["chunk"]] = Chunk(entry["part"], entry["counts"], entry["commit"])
    state.parent.mkdir(parents=True, exist_ok=True)
    wanted = [(part, chunk) for part, count in chunks.items() for chunk in range(count)]
    with state.open("a", encoding="utf-8") as log:
        for part, chunk in tqdm(wanted, unit="chunk"):
            if (part, chunk) not in done:
                counts = PARTS[part](np.random.default_rng([seed, list(PARTS).index(part), chunk]))
                done[part, chunk] = Chunk(part, counts, COMMIT)
                log.write(json.dumps({"seed": seed, "chunk": chunk, **asdict(done[part, chunk])}) + "\n")
                log.flush()
            yield done[part, chunk]


def at_most(count: int, trials: int, sure: float = 0.95) -> float:
    """One-sided Clopper-Pearson upper bound of a rate."""
    return float(stats.beta.ppf(sure, count + 1, trials - count))


def summarise(totals: dict[str, Counter[str]], trials: dict[str, int]) -> Iterator[dict[str, Any]]:
    unrelated = totals["unrelated"]
    read = sum(count for name, count in unrelated.items() if name != "nothing")
    yield {
        "part": "unrelated",
        "trials": trials["unrelated"],
        "messages_read": read,
        "wrong_messages": sum(count for name, count in unrelated.items() if name.startswith("wrong")),
        "rate_at_most_95": at_most(read, trials["unrelated"]),
    }
    wrong = sum(count for name, count in totals["faint"].items() if " wrong " in name)
    yield {
        "part": "faint, all cosines from 0.3 to 0.6",
        "trials": trials["faint"],
        "wrong_messages": wrong,
        "rate_at_most_95": at_most(wrong, trials["faint"]),
    }
    yield from summarise_bins(totals["faint"])
    for name, count in totals["statistic"].items():
        yield {
            "part": "statistic alone, unrelated",
            "trials": trials["statistic"],
            "stated_rate": float(name),
            "passed": count,
            "measured_rate": count / trials["statistic"],
            "rate_at_most_95": at_most(count, trials["statistic"]),
        }


def summarise_bins(faint: Counter[str]) -> Iterator[dict[str, Any]]:
    for place in sorted({name.partition(" ")[0] for name in faint}):
        count = {kind: faint[f"{place} {kind}"] for kind in ("nothing", "right claimed", "right unclaimed")}
        wrong = faint[f"{place} wrong claimed"] + faint[f"{place} wrong unclaimed"]
        total = sum(count.values()) + wrong
        right = count["right claimed"] + count["right unclaimed"]
        yield {
            "part": "faint",
            "cosine_from": float(place),
            "cosine_to": round(float(place) + STEP, 2),
            "trials": total,
            "right": right,
            "nothing": count["nothing"],
            "wrong": wrong,
            "right_rate": round(right / total, 5),
        }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--unrelated", type=int, default=1_000_000)
    parser.add_argument("--faint", type=int, default=100_000)
    parser.add_argument("--statistic", type=int, default=100_000_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--state", type=Path, default=ROOT / "build" / "false-claims.jsonl")
    parser.add_argument("--out", type=Path, default=ROOT / "results" / "false-claims.json")
    args = parser.parse_args()
    sizes = {"unrelated": CHUNK, "faint": CHUNK, "statistic": TEMPLATES * CHUNK}
    chunks = {part: -(-getattr(args, part) // size) for part, size in sizes.items()}
    totals: dict[str, Counter[str]] = {part: Counter() for part in PARTS}
    commits = set()
    for chunk in run_chunks(args.state, args.seed, chunks):
        totals[chunk.part].update(chunk.counts)
        commits.add(chunk.commit)
    trials = {part: chunks[part] * sizes[part] for part in PARTS}
    rows = list(summarise(totals, trials))
    write(
        args.out,
        command="python -m benchmarks.false_claims",
        seed=args.seed,
        n=sum(trials.values()),
        rows=rows,
        commit=", ".join(sorted(commits)),
        simulated=f"random unit features of {WIDTH} axes, {BITS}-bit messages; cosines are exact; no pictures involved",
    )
    for row in rows:
        print(json.dumps(row))


if __name__ == "__main__":
    main()
