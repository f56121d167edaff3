"""The picture of docs/scale.md from results/scale.json; the table goes to stdout.

python -m benchmarks.scale_plot
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib as mpl
from benchmarks.record import ROOT

mpl.use("Agg")
import matplotlib.pyplot as plt

COLOURS = {"exact": "#444444", "signs": "#0b7a75", "usearch": "#c8553d", "milvus": "#6a4c93"}
LABELS = {"exact": "exact", "signs": "signs", "usearch": "usearch (HNSW)", "milvus": "milvus-lite (HNSW)"}
CUT = "cut out by its true corners"

Row = dict[str, Any]


def mean_recall(row: Row) -> float:
    """Over all kinds of capture, cut out."""
    shares = [value["rate"] for name, value in row["recall"].items() if name.endswith(CUT)]
    return 100 * sum(shares) / len(shares)


PANELS: tuple[tuple[str, str, Callable[[Row], float]], ...] = (
    ("20 views, processor time (ms)", "log", lambda row: float(row["cpu"]["p50_ms"])),
    ("start of a process, processor time (s)", "log", lambda row: float(row["start"]["cpu_s"])),
    ("memory of the process (MB)", "log", lambda row: float(row["memory_mb"])),
    ("captures found first (%)", "linear", mean_recall),
)


def draw(rows: list[Row], path: Path) -> None:
    figure, axes = plt.subplots(1, len(PANELS), figsize=(15, 3.8))
    for axis, (title, scale, value) in zip(axes, PANELS, strict=True):
        for kind in COLOURS:
            points = sorted((row["records"], value(row)) for row in rows if row["kind"] == kind)
            if points:
                axis.plot(*zip(*points, strict=True), "o-", color=COLOURS[kind], label=LABELS[kind])
        axis.set(xscale="log", yscale=scale, title=title, xlabel="records")
        axis.grid(alpha=0.3)
    axes[-1].set_ylim(0, 101)
    axes[0].legend(frameon=False, fontsize=8)
    figure.tight_layout()
    figure.savefig(path, dpi=110)


def table(rows: list[Row]) -> str:
    """The rows in Markdown, by size and kind."""
    lines = [
        "| records | index | bytes a record | memory, MB | build, s | start, s | batch p50 / p99, ms | found, % |",
        "|---|---|---|---|---|---|---|---|",
    ]
    order = list(COLOURS)
    for row in sorted(rows, key=lambda row: (row["records"], order.index(row["kind"]))):
        shares = [value["rate"] for name, value in row["recall"].items() if name.endswith(CUT)]
        disk = f"{row['file_bytes_per_record']:.0f}" if row["file_bytes_per_record"] else "–"
        cells = (
            f"{row['records']:,}",
            f"`{row['kind']}`",
            disk,
            f"{row['memory_mb']:.0f}",
            f"{row['build']['cpu_s']:.2f}",
            f"{row['start']['cpu_s']:.2f}",
            f"{row['cpu']['p50_ms']:.0f} / {row['cpu']['p99_ms']:.0f}",
            " / ".join(f"{100 * share:.0f}" for share in shares),
        )
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--results", type=Path, default=ROOT / "results" / "scale.json")
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "scale.png")
    args = parser.parse_args()
    rows = json.loads(args.results.read_text(encoding="utf-8"))["rows"]
    draw(rows, args.out)
    print(table(rows))


if __name__ == "__main__":
    main()
