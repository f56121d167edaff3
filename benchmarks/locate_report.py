"""Write the table of docs/locator.md from results/locate.json.

python -m benchmarks.locate_report
"""

from __future__ import annotations

import json
from typing import Any

from benchmarks.pages import fill_page
from benchmarks.record import ROOT

PAGE, RECORD = ROOT / "docs" / "locator.md", ROOT / "results" / "locate.json"
HEADINGS = (
    "photos",
    "method",
    "n",
    "IoU ≥ 0.7",
    "≥ 0.8",
    "≥ 0.9",
    "any ≥ 0.8",
    "median IoU",
    "corner error, median (p90)",
    "upright",
    "core ms",
)


def line(row: dict[str, Any]) -> str:
    shares = [f"{100 * row[key]:.0f} %" for key in ("iou>=0.7", "iou>=0.8", "iou>=0.9", "any_iou>=0.8")]
    error = "–"
    if row["median_corner_error"] is not None:
        error = f"{100 * row['median_corner_error']:.1f} % ({100 * row['p90_corner_error']:.1f})"
    upright = "–" if row["upright"] is None else f"{100 * row['upright']:.0f} %"
    cells = [row["photos"], row["method"], str(row["n"]), *shares, f"{row['median_iou']:.3f}", error, upright]
    return "| " + " | ".join([*cells, f"{row['median_core_ms']:.0f}"]) + " |"


def table(rows: list[dict[str, Any]]) -> str:
    head = ["| " + " | ".join(HEADINGS) + " |", "|" + " --- |" * len(HEADINGS)]
    return "\n".join(head + [line(row) for row in rows if "median_iou" in row])


def main() -> None:
    rows = json.loads(RECORD.read_text(encoding="utf-8"))["rows"]
    fill_page(PAGE, "locate", table(rows))


if __name__ == "__main__":
    main()
