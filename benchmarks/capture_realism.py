"""Can simulated photos be told from real ones by simple statistics?

    python -m benchmarks.capture_realism CAMERA_FOLDER

CAMERA_FOLDER holds `pairs.jsonl` (original, captured, corners_tl_tr_br_bl). Every original is captured once per real
photo of it and seed; both sides go through the same statistics. Written: results/capture-realism.json (Kolmogorov
distance per statistic, cross-validated AUC of a linear and of a quadratic discriminant) and docs/capture-realism.png.
Two yardsticks come with the AUC: each real camera told from the other real ones, and random halves of the real photos
told from each other, which is what is left when there is nothing to tell.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
from benchmarks.capture_statistics import GROUPS, STATISTICS, Pixels, Plane, Shot, measure
from benchmarks.record import write
from numpy.typing import NDArray
from tqdm import tqdm

from tiacam.capture import Kind, Strength, simulate

ROOT = Path(__file__).parent.parent
FOLDS = 8
SEEDS = 3
SPLITS = 20
Row = dict[str, object]


# --- both sides ----------------------------------------------------------------------------------------------


def load(path: Path) -> Pixels:
    return np.ascontiguousarray(cv2.imread(str(path), cv2.IMREAD_COLOR)[..., ::-1])


def trimmed(picture: Pixels, corners: Plane) -> tuple[Pixels, Plane]:
    """Without the white padding that makes the originals square, the corners moved along."""
    printed = (picture < 245).any(axis=2)
    columns, rows = np.flatnonzero(printed.any(axis=0)), np.flatnonzero(printed.any(axis=1))
    left, right, top, bottom = columns[0], columns[-1] + 1, rows[0], rows[-1] + 1
    height, width = picture.shape[:2]
    whole = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    part = np.array([[[left, top], [right, top], [right, bottom], [left, bottom]]], np.float32)
    moved = cv2.perspectiveTransform(part, cv2.getPerspectiveTransform(whole, corners.astype(np.float32)))
    return np.ascontiguousarray(picture[top:bottom, left:right]), moved[0].astype(np.float64)


def real_shots(folder: Path) -> list[Shot]:
    shots = []
    for line in (folder / "pairs.jsonl").read_text(encoding="utf-8").splitlines():
        pair = json.loads(line)
        if pair["corners_tl_tr_br_bl"] is not None:
            picture, corners = trimmed(load(folder / pair["original"]), np.array(pair["corners_tl_tr_br_bl"]))
            shots.append(
                Shot(pair["original"], pair["camera"], picture, load(folder / pair["captured"]), corners)
            )
    return shots


def simulated_shots(real: list[Shot], kind: Kind, strength: Strength, seed: int) -> list[Shot]:
    """One capture for each real photo, of the same picture, among the other pictures."""
    pictures = {shot.name: shot.picture for shot in real}
    shots = []
    for index, shot in enumerate(tqdm(real, desc="simulate", file=sys.stderr)):
        others = [picture for name, picture in pictures.items() if name != shot.name]
        made = simulate(
            shot.picture,
            kind,
            strength,
            seed=seed + index,
            backgrounds=others,
            long_side=max(shot.photo.shape),
        )
        shots.append(Shot(shot.name, "simulated", shot.picture, made.photo, made.corners))
    return shots


# --- how different -------------------------------------------------------------------------------------------


def kolmogorov(first: Plane, second: Plane) -> float:
    """Largest distance between two empirical distribution functions."""
    values = np.sort(np.concatenate([first, second]))
    one = np.searchsorted(np.sort(first), values, side="right") / len(first)
    two = np.searchsorted(np.sort(second), values, side="right") / len(second)
    return float(np.abs(one - two).max())


def ranked_area(scores: Plane, labels: NDArray[np.bool_]) -> float:
    """Area under the ROC curve, by ranks."""
    order = np.empty(len(scores))
    order[np.argsort(scores)] = np.arange(1, len(scores) + 1)
    positive = int(labels.sum())
    return float(
        (order[labels].sum() - positive * (positive + 1) / 2) / (positive * (len(labels) - positive))
    )


def shrunk_covariance(rows: Plane, shrinkage: float) -> Plane:
    covariance = np.cov(rows, rowvar=False)
    return (1 - shrinkage) * covariance + shrinkage * np.diag(np.diag(covariance))


def linear_scores(train: Plane, labels: NDArray[np.bool_], test: Plane) -> Plane:
    """Fisher's discriminant."""
    within = (shrunk_covariance(train[labels], 0.1) + shrunk_covariance(train[~labels], 0.1)) / 2
    return test @ np.linalg.solve(within, train[labels].mean(axis=0) - train[~labels].mean(axis=0))


def quadratic_scores(train: Plane, labels: NDArray[np.bool_], test: Plane) -> Plane:
    """Log-likelihood ratio of two Gaussians."""

    def log_likelihood(rows: Plane) -> Plane:
        covariance = shrunk_covariance(rows, 0.3)
        centred = test - rows.mean(axis=0)
        return -(centred * np.linalg.solve(covariance, centred.T).T).sum(1) - np.linalg.slogdet(covariance)[1]

    return log_likelihood(train[labels]) - log_likelihood(train[~labels])


Scorer = Callable[[Plane, NDArray[np.bool_], Plane], Plane]


SCORERS: dict[str, Scorer] = {"linear AUC": linear_scores, "quadratic AUC": quadratic_scores}


def told_apart(first: Plane, second: Plane, names: list[str], scorer: Scorer) -> float:
    """Cross-validated AUC of telling the first rows from the second, whole pictures left out of each fold."""
    rows = np.concatenate([first, second])
    rows = (rows - rows.mean(axis=0)) / (rows.std(axis=0) + 1e-9)
    labels = np.arange(len(rows)) < len(first)
    fold = np.array([sorted(set(names)).index(name) % FOLDS for name in names])
    scores = np.empty(len(rows))
    for held in range(FOLDS):
        scores[fold == held] = scorer(rows[fold != held], labels[fold != held], rows[fold == held])
    return ranked_area(scores, labels)


# --- the record and the plot ---------------------------------------------------------------------------------


def discriminants(one: Plane, made: list[Plane], real: list[Shot]) -> list[Row]:
    """AUC of telling simulated from real, mean and range over the seeds, for all statistics and by group."""
    names = [shot.name for shot in real] * 2
    columns = {"all": list(range(len(STATISTICS)))} | GROUPS
    rows: list[Row] = []
    for metric, scorer in SCORERS.items():
        for group, chosen in columns.items():
            values = [told_apart(one[:, chosen], two[:, chosen], names, scorer) for two in made]
            rows.append(spread(f"simulated from real, {group} statistics", metric, values))
    return rows


def among_cameras(one: Plane, real: list[Shot]) -> list[Row]:
    """For comparison: how well each real camera is told from the other real ones."""
    cameras = np.array([shot.camera for shot in real])
    rows: list[Row] = []
    for metric, scorer in SCORERS.items():
        for camera in sorted(set(cameras)):
            order = np.argsort(cameras != camera, kind="stable")
            own = int((cameras == camera).sum())
            value = told_apart(one[order[:own]], one[order[own:]], [real[i].name for i in order], scorer)
            rows.append(
                {"name": f"{camera} from the other cameras", "metric": metric, "value": round(value, 3)}
            )
    return rows


def among_halves(one: Plane, real: list[Shot], seed: int) -> list[Row]:
    """The null: random halves of the real photos told from each other, mean and range over the splits."""
    rng = np.random.default_rng(seed)
    orders = [rng.permutation(len(real)) for _ in range(SPLITS)]
    rows: list[Row] = []
    for metric, scorer in SCORERS.items():
        values = []
        for order in orders:
            first, second = order[: len(order) // 2], order[len(order) // 2 :]
            values.append(told_apart(one[first], one[second], [real[i].name for i in order], scorer))
        rows.append(spread("real from real, random halves", metric, values))
    return rows


def spread(name: str, metric: str, values: list[float]) -> Row:
    """Mean and range."""
    mean, low, high = (round(float(value), 3) for value in (np.mean(values), min(values), max(values)))
    return {"name": name, "metric": metric, "value": mean, "low": low, "high": high}


def distances(one: Plane, two: Plane) -> list[Row]:
    """How far each statistic's distribution is off, all seeds pooled."""
    rows: list[Row] = []
    for index, name in enumerate(STATISTICS):
        distance = kolmogorov(one[:, index], two[:, index])
        medians = [round(float(np.median(side[:, index])), 4) for side in (one, two)]
        rows.append(
            {"name": name, "metric": "Kolmogorov distance", "value": round(distance, 3), "medians": medians}
        )
    return rows


def plot(one: Plane, two: Plane) -> None:
    """One panel a statistic: shares of real and of simulated photos."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(4, 5, figsize=(15, 10))
    for index, (name, axis) in enumerate(zip(STATISTICS, axes.flat, strict=True)):
        low, high = np.percentile(np.concatenate([one[:, index], two[:, index]]), [0.5, 99.5])
        bins = np.linspace(low, high + 1e-9, 21)
        for side, style in (
            (one, {"alpha": 0.35, "label": "real"}),
            (two, {"histtype": "step", "label": "simulated"}),
        ):
            axis.hist(side[:, index], bins, weights=np.full(len(side), 1 / len(side)), linewidth=1.6, **style)
        axis.set_title(
            f"{name.replace('_', ' ')}  (D = {kolmogorov(one[:, index], two[:, index]):.2f})", fontsize=9
        )
        axis.tick_params(labelsize=7)
    axes.flat[0].legend(fontsize=8)
    figure.tight_layout()
    figure.savefig(ROOT / "docs" / "capture-realism.png", dpi=80)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--kind", type=Kind, default=Kind.PRINT)
    parser.add_argument("--strength", type=Strength, default=Strength.TYPICAL)
    parser.add_argument("--seed", type=int, default=9500)
    parser.add_argument("--out", type=Path, default=ROOT / "results" / "capture-realism.json")
    args = parser.parse_args()
    real = real_shots(args.folder)
    one, begun = measure(real), time.process_time()
    shots = [simulated_shots(real, args.kind, args.strength, args.seed * (run + 1)) for run in range(SEEDS)]
    seconds = (time.process_time() - begun) / (SEEDS * len(real))
    made = [measure(run) for run in shots]
    pooled = np.concatenate(made)
    rows = [
        *discriminants(one, made, real),
        *among_cameras(one, real),
        *among_halves(one, real, args.seed),
        *distances(one, pooled),
    ]
    rows.append({"name": "one capture", "metric": "CPU seconds", "value": round(seconds, 3)})
    plot(one, pooled)
    command = (
        f"python -m benchmarks.capture_realism CAMERA_FOLDER --kind {args.kind} --strength {args.strength}"
    )
    write(
        args.out,
        command=f"{command} --seed {args.seed}",
        seed=args.seed,
        n=len(real),
        rows=rows,
    )
    for row in rows:
        print(json.dumps(row))


if __name__ == "__main__":
    main()
