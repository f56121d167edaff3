"""The ablations as a record of the report: each variant's numbers over its seeds, with the least and the largest.

    python -m benchmarks.ablation_record results/ablations.json --name anchor-whitened

Reads what benchmarks.ablations wrote, writes results/ablation--NAME.json and the table in docs/training.md. Two or
three seeds make no interval: low and high are the seeds' own range.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.pages import fill_page
from benchmarks.record import ROOT

from tiacam.evaluate.record import Result, Row, write_result

PAGE = ROOT / "docs" / "training.md"
METRICS = {
    "genuine": "cosine mean",
    "genuine_p5": "cosine p5",
    "impostor": "impostor cosine mean",
    "impostor_p999": "impostor cosine p99.9",
    "top1": "top-1",
    "rank": "effective rank",
}


def summarise(rows: Sequence[Mapping[str, Any]]) -> Iterator[Row]:
    """One row for each variant, space, distortion and number."""
    groups: dict[tuple[str, str, str], list[Mapping[str, Any]]] = {}
    for row in rows:
        groups.setdefault((row["variant"], row["space"], row["what"]), []).append(row)
    for (variant, space, what), found in groups.items():
        for key, metric in METRICS.items():
            values = [float(row[key]) for row in found]
            yield Row(
                f"{variant}, {space}, {what}", metric, sum(values) / len(values), min(values), max(values)
            )


def table(rows: Sequence[Row], what: str = "all") -> str:
    """Plain and whitened cosines, both sides, of every variant under one distortion."""
    values = {(row.name, row.metric): row.value for row in rows}
    variants = list(dict.fromkeys(row.name.partition(",")[0] for row in rows))
    shown = [(space, metric) for space in ("plain", "whitened") for metric in METRICS.values()]
    shown = [pair for pair in shown if pair != ("whitened", "effective rank")]  # of the plain features
    lines = ["| variant | " + " | ".join(f"{space}: {metric}" for space, metric in shown) + " |"]
    lines.append("|" + " --- |" * (len(shown) + 1))
    for variant in variants:
        found = [values[f"{variant}, {space}, {what}", metric] for space, metric in shown]
        lines.append(f"| `{variant}` | " + " | ".join(f"{value:.3g}" for value in found) + " |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("ablations", type=Path, help="what benchmarks.ablations wrote")
    parser.add_argument("--name", required=True, help="the model whose training gave the backbone")
    parser.add_argument("--out", type=Path, default=ROOT / "results")
    options = parser.parse_args()
    content = json.loads(options.ablations.read_text(encoding="utf-8"))
    head = {key: content[key] for key in ("command", "commit", "seed", "versions", "device", "n")}
    rows = tuple(summarise(content["rows"]))
    print(write_result(options.out, Result(table="ablation", model=options.name, rows=rows, **head)))
    fill_page(PAGE, "ablations", table(rows))


if __name__ == "__main__":
    main()
