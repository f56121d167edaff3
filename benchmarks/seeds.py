"""How far numbers move with what is drawn: three seeds of the drawn attacks, three sets of fresh salts.

    python -m benchmarks.seeds --data heldout/coco.tar --n 100

A table draws once for each picture and names its seed. Here its drawn parts are measured with three seeds, and one part
three times with the same attacked pictures, registered anew: salts are always fresh. Spread is largest less smallest;
beside it stands how far the 95 % interval of the first value reaches to either side. Written: results/seeds.json, and
the table in docs/evaluate.md (`--render`: only that, from the record).
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.record import ROOT, write

from tiacam.capture.attacks import Group
from tiacam.evaluate.attacked import TABLE1, attack_names
from tiacam.evaluate.bench import Bench
from tiacam.evaluate.metrics import Estimate, estimate_mean, estimate_rate
from tiacam.evaluate.opening import open_bench
from tiacam.model import DEFAULT_MODEL, FeatureModel, load_model

SEEDS = (0, 1, 2)
MESSAGES = (
    ("digital", Group.DIGITAL, "Screenshot"),
    ("geometric", Group.GEOMETRIC, "Translation 50%"),
    ("occlusion", Group.OCCLUSION, "occlusion-50"),
)
EDGE = MESSAGES[1]  # neither always nor never read, so that salts can matter
BEGIN, END = "<!-- seeds -->\n", "<!-- /seeds -->\n"
Row = dict[str, Any]


def cosine_of(bench: Bench, part: str) -> Estimate:
    """The mean cosine of Table 1's part."""
    (attack,) = attack_names(Group.DISTORTION)[part]
    genuine = np.sum(bench.attack(attack) * bench.originals, axis=1)  # (N,)
    return estimate_mean(genuine, bench.seed)


def exact_of(bench: Bench, group: Group, part: str) -> Estimate:
    """The share of messages that the product reads back."""
    (attack,) = attack_names(group)[part]
    answers = bench.desk().read([picture.pixels for picture in bench.attacked(attack)])
    return estimate_rate(answers.right(np.arange(bench.n)))


def summarise(table: str, name: str, metric: str, drawn: str, found: Sequence[Estimate]) -> Row:
    values = [estimate.value for estimate in found]
    low, high = found[0].low, found[0].high
    assert low is not None
    assert high is not None
    return {
        "table": table,
        "name": name,
        "metric": metric,
        "drawn": drawn,
        "values": [round(value, 4) for value in values],
        "mean": round(float(np.mean(values)), 4),
        "spread": round(max(values) - min(values), 4),
        "half_interval": round((high - low) / 2, 4),
    }


def measure(model: FeatureModel, data: Path, n: int) -> Iterator[Row]:
    benches = [open_bench(model, [data], n, seed) for seed in SEEDS]
    for part in TABLE1.parts:
        yield summarise("table1", part, "cosine mean", "seeds", [cosine_of(b, part) for b in benches])
    for table, group, part in MESSAGES:
        found = [exact_of(bench, group, part) for bench in benches]
        yield summarise(table, part, "keyed exact", "seeds", found)
    for bench in benches:
        bench.close()
    table, group, part = EDGE
    yield summarise(table, part, "keyed exact", "salts", list(repeat(model, data, n, group, part)))


def repeat(model: FeatureModel, data: Path, n: int, group: Group, part: str) -> Iterator[Estimate]:
    """The same attacked pictures against three registries, whose salts differ."""
    for _ in SEEDS:
        bench = open_bench(model, [data], n, SEEDS[0])
        yield exact_of(bench, group, part)
        bench.close()


def render(rows: Sequence[Row]) -> str:
    """The rows as a table of Markdown."""
    head = (
        "| table | row | metric | drawn anew | values | spread | ± (95 %) |\n|---|---|---|---|---|---|---|\n"
    )
    return head + "".join(
        f"| `{row['table']}` | {row['name']} | {row['metric']} | {row['drawn']} | "
        f"{', '.join(f'{value:.3f}' for value in row['values'])} | {row['spread']:.3f} | {row['half_interval']:.3f} |\n"
        for row in rows
    )


def fill(document: str, table: str) -> str:
    before, _, rest = document.partition(BEGIN)
    _, found, after = rest.partition(END)
    assert found, "docs/evaluate.md has lost its marks"
    return before + BEGIN + table + END + after


def write_document(record: Path, document: Path) -> None:
    rows = json.loads(record.read_text(encoding="utf-8"))["rows"]
    document.write_text(fill(document.read_text(encoding="utf-8"), render(rows)), encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--n", type=int, default=100)
    parser.add_argument("--model", default=DEFAULT_MODEL)
    parser.add_argument("--out", type=Path, default=ROOT / "results" / "seeds.json")
    parser.add_argument("--render", action="store_true")
    options = parser.parse_args()
    if not options.render:
        if options.data is None:
            parser.error("wanted --data, or --render")
        run(options)
    write_document(options.out, ROOT / "docs" / "evaluate.md")


def run(options: argparse.Namespace) -> None:
    model, rows = load_model(options.model), []
    for row in measure(model, options.data, options.n):
        print(row, flush=True)
        rows.append(row)
    command = f"python -m benchmarks.seeds --data {options.data.name} --n {options.n}"
    write(
        options.out,
        command=command,
        seed=SEEDS[0],
        n=options.n,
        rows=rows,
        model=model.card.id,
        seeds=list(SEEDS),
    )


if __name__ == "__main__":
    main()
