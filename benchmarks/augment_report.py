"""From the augmentor's records to its page: the tables of docs/augmentor.md and the plot of its curves.

python benchmarks/augment_report.py                   reads results/, writes docs/
"""

from __future__ import annotations

import csv
import json
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
RESULTS, DOCS = ROOT / "results", ROOT / "docs"
PAGE = DOCS / "augmentor.md"


def rows_of(name: str) -> list[dict[str, Any]]:
    path = RESULTS / f"{name}.json"
    return list(json.loads(path.read_text(encoding="utf-8"))["rows"]) if path.exists() else []


def pretraining_rows() -> Iterator[list[str]]:
    """PSNR and SSIM to the real distortion: no distortion, operator, untrained, trained."""
    yield ["module", "no distortion", "operator alone", "untrained", "pretrained", "± (95%)"]
    for row in rows_of("augmentor"):
        yield likeness_row(row["name"], row)
        for codec in row.get("codecs", []):
            yield likeness_row(f"· of it {codec['codec']}", codec)


def likeness_row(name: str, row: dict[str, Any]) -> list[str]:
    cells = [
        f"{row[f'psnr{state}']:.2f} dB / {row[f'ssim{state}']:.3f}" if f"psnr{state}" in row else ""
        for state in ("_none", "_operator", "_before", "")
    ]
    return [name, *cells, f"{row['psnr_ci95']:.2f}"]


def jpeg_rows() -> Iterator[list[str]]:
    """PSNR of each surrogate to Pillow's output."""
    forms = ("none", "printed", "smooth", "straight", "kornia")
    yield ["quality", "no compression", "Q as printed", "Q corrected", "true rounding (ours)", "kornia 0.9"]
    for row in rows_of("jpeg-surrogate"):
        values = [f"{row[f'psnr_{form}']:.1f} dB" if f"psnr_{form}" in row else "" for form in forms]
        yield [row["name"].removeprefix("quality-"), *values]


def speed_rows(device: str) -> Iterator[list[str]]:
    """Pictures per second, forward and backward, and how many times faster than kornia's."""
    yield ["what", "pictures/s", "times faster than kornia", "share of the bandwidth floor"]
    for row in rows_of(f"bench-augment-{device}"):
        if "pictures_per_second" not in row:
            continue
        faster = f"{row['times_faster']:.1f}×" if "times_faster" in row else ""
        share = f"{100 * row['share_of_floor']:.0f}%" if "share_of_floor" in row else ""
        yield [row["name"], f"{row['pictures_per_second']:,.0f}", faster, share]


def to_markdown(rows: Iterator[list[str]]) -> str:
    head, *body = rows
    lines = [head, ["---"] * len(head), *body]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def fill(page: str, name: str, table: str) -> str:
    """Replace what stands between the two marks of a table."""
    start, end = f"<!-- {name} -->", f"<!-- /{name} -->"
    before, _, rest = page.partition(start)
    _, _, after = rest.partition(end)
    return f"{before}{start}\n{table}\n{end}{after}"


def draw_curves(source: Path, out: Path) -> None:
    """The PSNR of the batches over the steps, one line for each module."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    curves: dict[str, list[tuple[float, float]]] = defaultdict(list)
    with source.open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            curves[row["name"]].append((float(row["step"]), float(row["psnr"])))
    figure, axes = pyplot.subplots(figsize=(7, 4), layout="constrained")
    for name, points in curves.items():
        steps, values = zip(*points, strict=True)
        axes.plot(steps, smooth(list(values)), label=name)
    axes.set(xlabel="step", ylabel="PSNR to the real distortion (dB)", title="Pretraining of the six modules")
    axes.legend(ncols=3, fontsize="small")
    axes.grid(alpha=0.3)
    figure.savefig(out, dpi=110)


def smooth(values: list[float], window: int = 9) -> list[float]:
    """Running means, shorter at the ends."""
    half = window // 2
    parts = [values[max(0, index - half) : index + half + 1] for index in range(len(values))]
    return [sum(part) / len(part) for part in parts]


def main() -> None:
    page = PAGE.read_text(encoding="utf-8")
    page = fill(page, "pretraining", to_markdown(pretraining_rows()))
    page = fill(page, "jpeg", to_markdown(jpeg_rows()))
    for device in ("cuda", "cpu"):
        page = fill(page, f"speed-{device}", to_markdown(speed_rows(device)))
    PAGE.write_text(page, encoding="utf-8")
    if (RESULTS / "augmentor-curves.csv").exists():
        draw_curves(RESULTS / "augmentor-curves.csv", DOCS / "augmentor-curves.png")


if __name__ == "__main__":
    main()
