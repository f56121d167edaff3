"""Statistics of a photo of a picture: how bright, colourful, sharp and noisy it is, and where the picture lies."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

Pixels = NDArray[np.uint8]
Plane = NDArray[np.float64]
RECTIFIED = 256


@dataclass(frozen=True)
class Shot:
    """One photo, the picture it shows and where (tl, tr, br, bl), from the camera or from the simulator."""

    name: str  # of the picture, so that no picture is in two folds
    camera: str
    picture: Pixels
    photo: Pixels
    corners: Plane


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


GROUPS = {
    "colour": list(range(6)),
    "sharpness and noise": list(range(6, 11)),
    "inside": list(range(11, 16)),
    "geometry": list(range(16, 20)),
}


def measure(shots: list[Shot]) -> Plane:
    rows = [[statistic(shot) for statistic in STATISTICS.values()] for shot in shots]
    return np.array(rows)  # (shots, statistics)
