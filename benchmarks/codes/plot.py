"""Draw exact-recovery rate against cosine, one panel a length, with the finite-length limits dashed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes

from .channel import SIGNS_ONLY
from .contest import CHOSEN, LENGTHS, MAIN_BITS, MAIN_LEVELS, REFERENCE
from .limits import least_error

mpl.use("Agg")
from matplotlib import pyplot as plt

Row = dict[str, Any]
# name, seed bits, levels, colour, marker, label
CURVES = (
    (CHOSEN, 48, 4, "#7fb2e5", "s", "polar, list 32, 48-bit seed"),
    (CHOSEN, 64, 4, "#0b5394", "o", "polar, list 32"),
    ("polar, list 8", 64, 4, "#3d85c6", "v", "polar, list 8"),
    (CHOSEN, 64, SIGNS_ONLY, "#0b5394", "x", "polar, list 32, signs only"),
    ("tail-biting, memory 10", 64, 4, "#38761d", "^", "tail-biting convolutional, memory 10"),
    ("random linear, OSD-2, 16 restarts", 64, 4, "#e69138", "D", "random linear, OSD-2, 16 restarts"),
    ("random linear, OSD-3 on 32", 64, 4, "#cc4125", "P", "random linear, OSD-3 on 32"),
    (REFERENCE, 64, 4, "#990000", "*", "random linear, OSD-2"),
)


def plot(rows: list[Row], path: Path) -> None:
    """Write both panels, their legend beneath."""
    figure, panels = plt.subplots(1, 2, figsize=(13, 6.6), sharey=True, layout="constrained")
    for axes, n in zip(panels, LENGTHS, strict=True):
        draw_limits(axes, n)
        draw_curves(axes, [row for row in rows if row.get("n") == n])
        finish(axes, n)
    panels[0].set_ylabel("seed recovered exactly (right seed among 8 candidates)")
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=3, frameon=False, fontsize=9)
    figure.suptitle(
        "Exact recovery against feature cosine: 64-bit seed, 4-level magnitudes unless stated; bars 95%"
    )
    figure.savefig(path, dpi=130)
    plt.close(figure)


def draw_limits(axes: Axes, n: int) -> None:
    """Normal approximation for the main seed length, with magnitudes and with signs alone."""
    cosine = np.linspace(0.3, 0.995, 200)
    for levels, grey, name in (
        (MAIN_LEVELS, "0.25", "4-level magnitudes"),
        (SIGNS_ONLY, "0.6", "signs only"),
    ):
        limit = [1 - least_error(n, MAIN_BITS, float(c), levels) for c in cosine]
        axes.plot(cosine, limit, "--", color=grey, label=f"limit (normal approximation), {name}")
    limit = [1 - least_error(n, 48, float(c), MAIN_LEVELS) for c in cosine]
    axes.plot(cosine, limit, ":", color="0.25", label="limit, 4-level magnitudes, 48-bit seed")


def draw_curves(axes: Axes, rows: list[Row]) -> None:
    """Measured rates with their intervals, and the algebraic code's exact rate."""
    for name, bits, levels, colour, marker, label in CURVES:
        key = {"name": name, "bits": bits, "levels": levels, "metric": "recovered"}
        points = sorted((r for r in rows if key.items() <= r.items()), key=lambda r: r["cosine"])
        if points:
            value = np.array([r["value"] for r in points])
            bars = np.array([[r["value"] - r["low"], r["high"] - r["value"]] for r in points]).T
            x, style = [r["cosine"] for r in points], "--" if levels == SIGNS_ONLY else "-"
            axes.errorbar(
                x,
                value,
                bars,
                color=colour,
                marker=marker,
                ms=5,
                lw=1.3,
                ls=style,
                elinewidth=0.8,
                label=label,
            )
    bch = [
        r
        for r in rows
        if r["name"].startswith("BCH") and r["metric"] == "recovered" and r["asked_bits"] == MAIN_BITS
    ]
    axes.plot(
        [r["cosine"] for r in bch],
        [r["value"] for r in bch],
        "-",
        color="0.45",
        marker=".",
        label="BCH, hard signs",
    )


def finish(axes: Axes, n: int) -> None:
    axes.axhline(0.99, color="0.8", lw=0.8, zorder=0)
    axes.set(
        title=f"{n} effective dimensions", xlabel="cosine of registered and probed feature", xlim=(1.01, 0.29)
    )
    axes.set_ylim(-0.02, 1.03)
    axes.grid(alpha=0.25)
