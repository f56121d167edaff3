"""Plots of the tables' records: each function takes the results and gives a figure, or None where there is nothing."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from benchmarks.report_records import Record, Results

KINDS = ("Screen Camera", "Print Camera", "Screenshots")
STRENGTHS = ("mild", "typical", "severe")
COLOURS = {
    "Screen Camera": "tab:blue",
    "Print Camera": "tab:orange",
    "Screenshots": "tab:green",
    "Photos": "tab:red",
}
Figure = Any


def new_figure(
    columns: int = 1, width: float = 5.2, height: float = 3.6, rows: int = 1
) -> tuple[Figure, Any]:
    """A canvas and its axes, row by row."""
    from matplotlib.figure import Figure as Canvas

    figure = Canvas(figsize=(width * columns, height * rows), layout="constrained")
    return figure, figure.subplots(rows, columns, squeeze=False).ravel()


def parts_with(record: Record, metric: str) -> list[str]:
    return [name for name in record.names() if (name, metric) in record.rows]


def style(part: str) -> dict[str, Any]:
    kind = part.partition(",")[0]
    line = {"rectified": "-", "located": "-."}.get(part.rpartition(", ")[2], "--")
    return {"color": COLOURS.get(kind, "grey"), "linestyle": line, "marker": "o" if "real" in part else None}


def draw_points(
    axis: Any, record: Record, names: Iterable[tuple[float, str]], metric: str, **how: Any
) -> None:
    """Values with their intervals, as far as the record has them."""
    rows = [(x, record.rows[name, metric]) for x, name in names if (name, metric) in record.rows]
    if not rows:
        return
    xs, values = [x for x, _ in rows], [row["value"] for _, row in rows]
    below = [row["value"] - (row["value"] if row["low"] is None else row["low"]) for _, row in rows]
    above = [(row["value"] if row["high"] is None else row["high"]) - row["value"] for _, row in rows]
    axis.errorbar(xs, values, [below, above], capsize=2, linewidth=1.4, elinewidth=0.7, **how)


def plot_roc(results: Results) -> Figure | None:
    """Accepted photos against accepted comparisons with other records."""
    record = results.of("identification")
    if record is None:
        return None
    figure, (axis,) = new_figure(width=6.5, height=4)
    for part in parts_with(record, "accepted at 0.1 false a comparison"):
        rates = [
            (float(found.group(1)), row["value"])
            for (name, metric), row in record.rows.items()
            if name == part and (found := re.match(r"accepted at (\S+) false a comparison", metric))
        ]
        axis.plot(*zip(*sorted(rates), strict=True), label=part, **style(part))
    axis.set(
        xscale="log",
        ylim=(max(0.0, axis.dataLim.y0 - 0.05), 1.01),  # not from 0: nearly all lines lie at the top
        xlabel="comparisons with other records accepted",
        ylabel="photos accepted",
    )
    axis.set_title(f"ROC of features, {record.model}")
    axis.legend(fontsize=6, loc="lower right", handlelength=4)
    return figure


def plot_histograms(results: Results) -> Figure | None:
    """Cosines of photos with their own record and with all the others."""
    record = results.of("identification")
    parts = [] if record is None else parts_with(record, "accepted at 0.1 false a comparison")
    if record is None or not parts:
        return None
    columns = 3  # raw, located, rectified
    figure, axes = new_figure(columns, 3.4, 2.3, rows=-(-len(parts) // columns))
    for axis in axes[len(parts) :]:
        axis.set_axis_off()
    for axis, part in zip(axes, parts, strict=False):
        for side, colour in (("impostor", "tab:grey"), ("genuine", "tab:blue")):
            bins = list(histogram(record, part, side))
            axis.bar(
                [low for low, _ in bins],
                [s for _, s in bins],
                0.05,
                align="edge",
                color=colour,
                alpha=0.6,
                label=side,
            )
        axis.set_title(part.replace(", simulated", ",\nsimulated").replace(", real", ",\nreal"), fontsize=8)
        axis.set(xlim=(-0.5, 1.0), yticks=[], xlabel="cosine")
    axes[0].legend(fontsize=7)
    return figure


def histogram(record: Record, part: str, side: str) -> Iterator[tuple[float, float]]:
    for (name, metric), row in record.rows.items():
        if name == part and metric.startswith(f"{side} share from "):
            yield float(metric.rpartition(" ")[2]), row["value"]


def plot_gallery(results: Results) -> Figure | None:
    """Top-1 against the number of registered pictures."""
    record = results.of("identification")
    if record is None:
        return None
    sizes: dict[str, list[tuple[float, str]]] = {}
    for name in parts_with(record, "top-1"):
        part, _, records = name.rpartition(", ")
        sizes.setdefault(part, []).append((float(records.split()[0]), name))
    figure, axes = new_figure(2)
    for axis, metric in zip(axes, ("top-1", "accepted at 1% false a look-up"), strict=True):
        for part, names in sizes.items():
            draw_points(axis, record, names, metric, label=part, **style(part))
        axis.set(xscale="log", ylim=(0, 1.03), xlabel="registered pictures", title=metric)
        axis.minorticks_off()
    axes[0].legend(fontsize=6, loc="lower left")
    return figure


def plot_occlusion(results: Results) -> Figure | None:
    """Cosine and messages against the covered share."""
    record = results.of("occlusion")
    if record is None:
        return None
    figure, (axis,) = new_figure()
    names = [(share / 100, f"occlusion-{share}") for share in range(10, 100, 10)]
    for metric, label in (
        ("cosine mean", "cosine"),
        ("keyed exact", "exact messages, default head"),
        ("reference bit accuracy", "bits, paper's head"),
        ("unrelated reference bit accuracy", "bits, paper's head, unrelated record"),
    ):
        draw_points(axis, record, names, metric, label=label)
    axis.axvline(2 / 3, color="grey", linewidth=0.8)
    axis.text(2 / 3, 0.03, " two thirds (S8)", fontsize=7)
    axis.set(ylim=(-0.02, 1.03), xlabel="share of the picture covered", title=f"Occlusion, {record.model}")
    axis.legend(fontsize=7)
    return figure


def plot_strength(results: Results) -> Figure | None:
    """Whole messages against the strength of simulated captures."""
    record = results.of("camera")
    if record is None:
        return None
    figure, axes = new_figure(2)
    for axis, form in zip(axes, ("raw", "rectified"), strict=True):
        for kind in KINDS:
            for metric, line in (("keyed exact, 100 bits", "-"), ("cosine mean", ":")):
                names = [(x, f"{kind}, simulated {s}, {form}") for x, s in enumerate(STRENGTHS)]
                label = f"{kind}, {'cosine' if metric == 'cosine mean' else 'exact'}"
                draw_points(axis, record, names, metric, color=COLOURS[kind], linestyle=line, label=label)
        real = f"Print Camera, real, {form}"
        draw_points(
            axis,
            record,
            [(1.1, real)],
            "keyed exact, 100 bits",
            color="black",
            marker="D",
            label="real prints, exact",
        )
        axis.set(xticks=range(3), xticklabels=STRENGTHS, ylim=(-0.02, 1.03), title=f"{form}, {record.model}")
        axis.set(xlabel="strength of the simulated capture", ylabel="share of messages exact; cosine")
    axes[0].legend(fontsize=6)
    return figure


def plot_peers(results: Results) -> Figure | None:
    """All identifying systems under all conditions: true accepts at one false accept in a hundred look-ups."""
    record = results.of("peers")
    if record is None:
        return None
    metric = "accepted at 1% false a look-up"
    systems = list(dict.fromkeys(name.split(", ")[0] for name in parts_with(record, metric)))
    places = list(dict.fromkeys(name.partition(", ")[2] for name in parts_with(record, metric)))
    figure, (axis,) = new_figure(width=11, height=4)
    for index, system in enumerate(systems):
        names = [
            (x + 0.12 * (index - len(systems) / 2), f"{system}, {place}") for x, place in enumerate(places)
        ]
        draw_points(axis, record, names, metric, label=system, linestyle="", marker="o", markersize=4)
    axis.set(ylim=(-0.02, 1.03), ylabel=metric)
    axis.set_xticks(range(len(places)), [place.replace(", ", "\n") for place in places], fontsize=6)
    axis.legend(fontsize=7, ncols=3)
    return figure


def plot_table1(results: Results) -> Figure | None:
    """The paper's cosines beside ours, and those of unrelated pictures."""
    record = results.of("table1")
    if record is None:
        return None
    parts = parts_with(record, "cosine mean")
    figure, (axis,) = new_figure(width=6.5)
    draw_points(axis, record, list(enumerate(parts)), "cosine mean", label="ours", linestyle="", marker="o")
    printed = [(x, record.rows[part, "cosine mean"].get("paper")) for x, part in enumerate(parts)]
    axis.plot(
        *zip(*[(x, value) for x, value in printed if value is not None], strict=True),
        "k_",
        markersize=12,
        label="paper",
    )
    draw_points(
        axis,
        record,
        list(enumerate(parts)),
        "impostor cosine p99.9",
        label="unrelated, p99.9",
        linestyle="",
        marker="x",
        color="tab:grey",
    )
    axis.set_xticks(range(len(parts)), parts, fontsize=8)
    axis.set(ylim=(-0.05, 1.03), title=f"Table 1, {record.model}")
    axis.legend(fontsize=7)
    return figure


PLOTS: dict[str, Callable[[Results], Figure | None]] = {
    "Table 1": plot_table1,
    "Recovery against the strength of captures": plot_strength,
    "ROC": plot_roc,
    "Genuine and impostor cosines": plot_histograms,
    "Identification against gallery size": plot_gallery,
    "S8: occlusion": plot_occlusion,
    "Other systems, same run": plot_peers,
}
