"""Can simulated photos be told from real ones by simple statistics?

    python benchmarks/capture_realism.py CAMERA_FOLDER --kind print --strength typical

CAMERA_FOLDER holds `pairs.jsonl` (original, captured, corners_tl_tr_br_bl). Every original is captured once per real
photo of it; both sides go through the same statistics. Written: results/capture-realism.json (Kolmogorov distance per
statistic, cross-validated AUC of a linear and of a quadratic discriminant) and docs/capture-realism.png.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import platform
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from tiacam.capture import Kind, Strength, simulate

Pixels = NDArray[np.uint8]
Plane = NDArray[np.float64]
ROOT = Path(__file__).parent.parent
RECTIFIED = 256
FOLDS = 8


@dataclass(frozen=True)
class Shot:
    """One photo, the picture it shows and where (tl, tr, br, bl), from the camera or from the simulator."""

    name: str  # of the picture, so that no picture is in two folds
    camera: str
    picture: Pixels
    photo: Pixels
    corners: Plane


# --- statistics: each takes a Shot and gives one number -------------------------------------------------------


def luma(pixels: NDArray[np.generic]) -> Plane:
    return np.asarray(pixels, np.float64) @ np.array([0.299, 0.587, 0.114]) / 255.0


def saturation(pixels: Pixels) -> Plane:
    top = pixels.max(axis=2).astype(np.float64)
    return (top - pixels.min(axis=2)) / np.maximum(top, 1.0)


def rectified(shot: Shot) -> Pixels:
    side = float(RECTIFIED)
    square = np.array([[0, 0], [side, 0], [side, side], [0, side]], np.float32)
    matrix = cv2.getPerspectiveTransform(shot.corners.astype(np.float32), square)
    return np.asarray(cv2.warpPerspective(shot.photo, matrix, (RECTIFIED, RECTIFIED)), np.uint8)


def flat(shot: Shot) -> Pixels:
    return np.asarray(
        cv2.resize(shot.picture, (RECTIFIED, RECTIFIED), interpolation=cv2.INTER_AREA), np.uint8
    )


def radial_power(shot: Shot) -> tuple[Plane, Plane]:
    """Frequencies in cycles a pixel and the mean power at each, of the central square under a window."""
    grey = luma(shot.photo)
    side = min(grey.shape)
    top, left = (grey.shape[0] - side) // 2, (grey.shape[1] - side) // 2
    window = np.hanning(side)[:, None] * np.hanning(side)[None, :]
    square = grey[top : top + side, left : left + side]
    power = np.abs(np.fft.fft2((square - square.mean()) * window)) ** 2
    radius = np.hypot(np.fft.fftfreq(side)[:, None], np.fft.fftfreq(side)[None, :])
    bins = np.linspace(0.01, 0.5, 50)
    which = np.digitize(radius.ravel(), bins)
    sums = np.bincount(which, power.ravel(), 51)[1:50]
    counts = np.bincount(which, minlength=51)[1:50]
    return (bins[:-1] + bins[1:]) / 2, sums / np.maximum(counts, 1)


def high_frequency(shot: Shot) -> float:
    frequency, power = radial_power(shot)
    energy = power * frequency
    return float(np.log10(energy[frequency > 0.25].sum() / energy.sum()))


def spectrum_slope(shot: Shot) -> float:
    frequency, power = radial_power(shot)
    middle = (frequency > 0.03) & (frequency < 0.25)
    return float(np.polyfit(np.log10(frequency[middle]), np.log10(power[middle]), 1)[0])


def sharpness(shot: Shot) -> float:
    return float(np.log10(cv2.Laplacian(luma(shot.photo), cv2.CV_64F).var() + 1e-9))


def noise(shot: Shot) -> float:
    """Deviation of the finest diagonal wavelet in the flatter quarter of all blocks of 16 × 16 pixels."""
    grey = luma(shot.photo)
    grey = grey[: grey.shape[0] // 16 * 16, : grey.shape[1] // 16 * 16]
    diagonal = (grey[::2, ::2] - grey[1::2, ::2] - grey[::2, 1::2] + grey[1::2, 1::2]) / 2
    blocks = diagonal.reshape(grey.shape[0] // 16, 8, grey.shape[1] // 16, 8)
    return float(np.log10(np.percentile(blocks.std(axis=(1, 3)), 25) + 1e-4))


def chroma_noise(shot: Shot) -> float:
    chroma = cv2.cvtColor(shot.photo, cv2.COLOR_RGB2YCrCb)[..., 1:].astype(np.float64)
    return float(np.log10(np.abs(chroma - cv2.blur(chroma, (5, 5))).mean() + 1e-2))


def area(shot: Shot) -> float:
    """Share of the frame that the picture covers, what lies outside left out."""
    height, width = shot.photo.shape[:2]
    mask = np.zeros((height, width), np.uint8)
    cv2.fillConvexPoly(mask, np.round(shot.corners).astype(np.int32), 1)
    return float(mask.mean())


def rotation(shot: Shot) -> float:
    across = shot.corners[1] - shot.corners[0] + shot.corners[2] - shot.corners[3]
    return float(abs(np.degrees(np.arctan2(across[1], across[0]))))


def perspective(shot: Shot) -> float:
    """Largest ratio of two opposite sides."""
    sides = np.linalg.norm(np.roll(shot.corners, -1, axis=0) - shot.corners, axis=1)
    return float(max(abs(np.log(sides[0] / sides[2])), abs(np.log(sides[1] / sides[3]))))


def offset(shot: Shot) -> float:
    height, width = shot.photo.shape[:2]
    return float(np.linalg.norm(shot.corners.mean(axis=0) / [width, height] - 0.5))


def inside_contrast(shot: Shot) -> float:
    return float(np.log(luma(rectified(shot)).std() / luma(flat(shot)).std()))


def inside_brightness(shot: Shot) -> float:
    return float(luma(rectified(shot)).mean() - luma(flat(shot)).mean())


def inside_saturation(shot: Shot) -> float:
    return float(saturation(rectified(shot)).mean() - saturation(flat(shot)).mean())


def inside_agreement(shot: Shot) -> float:
    """Correlation with the original once both are blurred, so that small misalignment counts little."""
    both = [cv2.GaussianBlur(luma(p), (0, 0), 4.0).ravel() for p in (rectified(shot), flat(shot))]
    return float(np.corrcoef(both[0], both[1])[0, 1])


STATISTICS: dict[str, Callable[[Shot], float]] = {
    "brightness": lambda s: float(luma(s.photo).mean()),
    "contrast": lambda s: float(luma(s.photo).std()),
    "saturation": lambda s: float(saturation(s.photo).mean()),
    "warmth": lambda s: float(np.mean(s.photo[..., 0].astype(float) - s.photo[..., 2]) / 255),
    "highlights": lambda s: float(np.mean(luma(s.photo) > 0.97)),
    "shadows": lambda s: float(np.mean(luma(s.photo) < 0.06)),
    "sharpness": sharpness,
    "high_frequency": high_frequency,
    "spectrum_slope": spectrum_slope,
    "noise": noise,
    "chroma_noise": chroma_noise,
    "inside_contrast": inside_contrast,
    "inside_brightness": inside_brightness,
    "inside_saturation": inside_saturation,
    "inside_agreement": inside_agreement,
    "inside_highlights": lambda s: float(np.mean(luma(rectified(s)) > 0.97)),
    "area": area,
    "rotation": rotation,
    "perspective": perspective,
    "offset": offset,
}


def measure(shots: list[Shot]) -> Plane:
    rows = [[statistic(shot) for statistic in STATISTICS.values()] for shot in shots]
    return np.array(rows)  # (shots, statistics)


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


def rows_of(real: list[Shot], made: list[Shot]) -> list[dict[str, object]]:
    """Everything that is published: AUCs, the same for real cameras among themselves, distances by statistic."""
    one, two = measure(real), measure(made)
    names = [shot.name for shot in real] + [shot.name for shot in made]
    cameras = np.array([shot.camera for shot in real])
    rows: list[dict[str, object]] = []
    for metric, scorer in (("linear AUC", linear_scores), ("quadratic AUC", quadratic_scores)):
        value = told_apart(one, two, names, scorer)
        rows.append({"name": "simulated from real", "metric": metric, "value": round(value, 3)})
        for camera in sorted(set(cameras)):
            own = cameras == camera
            regrouped = [real[i].name for i in np.flatnonzero(own)] + [
                real[i].name for i in np.flatnonzero(~own)
            ]
            value = told_apart(one[own], one[~own], regrouped, scorer)
            rows.append(
                {"name": f"{camera} from the other cameras", "metric": metric, "value": round(value, 3)}
            )
    for index, name in enumerate(STATISTICS):
        distance = kolmogorov(one[:, index], two[:, index])
        medians = [round(float(np.median(side[:, index])), 4) for side in (one, two)]
        rows.append(
            {"name": name, "metric": "Kolmogorov distance", "value": round(distance, 3), "medians": medians}
        )
    plot(one, two, cameras)
    return rows


def plot(one: Plane, two: Plane, cameras: NDArray[np.str_]) -> None:
    """One panel a statistic: real photos, each camera of them faintly, and simulated ones."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(4, 5, figsize=(15, 10))
    for index, (name, axis) in enumerate(zip(STATISTICS, axes.flat, strict=True)):
        low, high = np.percentile(np.concatenate([one[:, index], two[:, index]]), [0.5, 99.5])
        bins = np.linspace(low, high + 1e-9, 19)
        for camera in sorted(set(cameras)):
            axis.hist(one[cameras == camera, index], bins, histtype="step", color="0.75", linewidth=0.7)
        axis.hist(one[:, index], bins, histtype="stepfilled", alpha=0.35, color="tab:blue", label="real")
        axis.hist(two[:, index], bins, histtype="step", color="tab:red", linewidth=1.6, label="simulated")
        axis.set_title(f"{name}  (D = {kolmogorov(one[:, index], two[:, index]):.2f})", fontsize=9)
        axis.tick_params(labelsize=7)
    axes.flat[0].legend(fontsize=8)
    figure.tight_layout()
    figure.savefig(ROOT / "docs" / "capture-realism.png", dpi=80)


def record(args: argparse.Namespace, n: int, rows: list[dict[str, object]]) -> dict[str, object]:
    commit = subprocess.run(
        ["git", "rev-parse", "HEAD"], capture_output=True, text=True, cwd=ROOT
    ).stdout.strip()
    packages = ("numpy", "opencv-python-headless", "pillow", "pillow-heif")
    return {
        "command": f"python benchmarks/capture_realism.py CAMERA_FOLDER --kind {args.kind}"
        f" --strength {args.strength} --seed {args.seed}",
        "commit": commit,
        "seed": args.seed,
        "versions": {name: importlib.metadata.version(name) for name in packages},
        "device": platform.machine(),
        "n": n,
        "rows": rows,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--kind", type=Kind, default=Kind.PRINT)
    parser.add_argument("--strength", type=Strength, default=Strength.TYPICAL)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    real = real_shots(args.folder)
    rows = rows_of(real, simulated_shots(real, args.kind, args.strength, args.seed))
    out = ROOT / "results" / "capture-realism.json"
    out.write_text(json.dumps(record(args, len(real), rows), indent=1) + "\n", encoding="utf-8")
    for row in rows:
        print(json.dumps(row))


if __name__ == "__main__":
    main()
