"""A print: ink on paper as a halftone, with the gamut, the gain and the texture that come with it."""

from __future__ import annotations

import math
from dataclasses import dataclass

import cv2
import numpy as np

from tiacam.capture.colour import to_linear
from tiacam.capture.kinds import Field, Pixels, Strength
from tiacam.capture.lattice import Wave
from tiacam.capture.occasions import Occasion
from tiacam.capture.spans import Span, draw_margins, draw_seed, happens, pick

# Light that each solid ink lets back, red, green and blue, in linear light: cyan, magenta, yellow, black.
INKS = np.array([[0.02, 0.36, 0.68], [0.60, 0.02, 0.16], [0.93, 0.80, 0.04], [0.02, 0.02, 0.02]], np.float32)
SCREEN_ANGLES = (15.0, 75.0, 0.0, 45.0)
DOT_HARMONIC = 0.2  # first harmonic of a round dot that covers half of its cell


@dataclass(frozen=True)
class Print:
    """One printed sheet; lengths in inches where inks are concerned, in surface units elsewhere."""

    inches: float  # longer side of the picture on paper
    dpi: float  # addressable dots an inch of the printer
    lpi: float  # halftone cells an inch
    gain: float  # how much a half-tone of 50% grows
    black: float  # share of the common grey that is printed with black ink
    fade: float  # ink that is missing or bleached, 0 to 1
    paper: tuple[float, float, float]  # light that blank paper gives back
    grain: float  # deviation of the paper's texture
    gloss: float  # how strongly highlights show, 0 to 1
    margins: tuple[float, float, float, float]  # sheet left, above, right and below the picture
    margin_level: float  # brightness of that sheet: 1 is blank paper, 0 a black case or frame
    seed: int


@dataclass(frozen=True)
class PrintRanges:
    """What prints there are at one strength."""

    lpi: Span
    gain: Span
    fade: Span
    grain: Span
    gloss: Span
    margin: Span
    case: float  # how often it is in a black case or frame instead of on a sheet


PRINTS = {
    Strength.MILD: PrintRanges(
        lpi=Span(133, 200),
        gain=Span(0.0, 0.08),
        fade=Span(0.0, 0.05),
        grain=Span(0.0, 0.008),
        gloss=Span(0.0, 0.2),
        margin=Span(0.0, 0.04),
        case=0.3,
    ),
    Strength.TYPICAL: PrintRanges(
        lpi=Span(100, 175),
        gain=Span(0.02, 0.16),
        fade=Span(0.0, 0.2),
        grain=Span(0.0, 0.015),
        gloss=Span(0.3, 1.0),
        margin=Span(0.01, 0.11),
        case=0.85,
    ),
    Strength.SEVERE: PrintRanges(
        lpi=Span(55, 110),
        gain=Span(0.10, 0.25),
        fade=Span(0.05, 0.3),
        grain=Span(0.01, 0.03),
        gloss=Span(0.4, 1.0),
        margin=Span(0.0, 0.3),
        case=0.5,
    ),
}


def draw_print(strength: Strength, occasion: Occasion, rng: np.random.Generator) -> Print:
    ranges = PRINTS[strength]
    warm = Span(0.0, 0.10).draw(rng)
    black, pale = Span(0.002, 0.02).draw(rng), Span(0.7, 1.0).draw(rng)
    return Print(
        inches=Span(4.0, 11.0).draw(rng),
        dpi=float(pick(rng, (600, 1200, 2400))),
        lpi=ranges.lpi.draw(rng),
        gain=ranges.gain.draw(rng),
        black=Span(0.3, 0.9).draw(rng),
        fade=ranges.fade.draw(rng),
        paper=(0.90, 0.90 - 0.3 * warm, 0.90 - warm),
        grain=ranges.grain.draw(rng),
        gloss=ranges.gloss.part(occasion.gloss).draw(rng),
        margins=draw_margins(ranges.margin.part(occasion.margin), rng),
        margin_level=black if happens(rng, ranges.case, occasion.case) else pale,
        seed=draw_seed(rng),
    )


def separate(picture: Pixels, sheet: Print) -> Field:
    """The picture as ink coverages (H, W, 4), the printer's gain, steps and fading included."""
    light = to_linear(picture)
    wanted = 1 - light  # cyan, magenta, yellow
    black = wanted.min(axis=2, keepdims=True) ** 2 * sheet.black
    coloured = (wanted - black) / np.maximum(1 - black, 1e-3)
    coverage = np.concatenate([coloured, black], axis=2)
    coverage += 4 * sheet.gain * coverage * (1 - coverage)
    levels = np.float32((sheet.dpi / sheet.lpi) ** 2)
    scatter = np.random.default_rng(sheet.seed).random(
        coverage.shape, np.float32
    )  # printers dither between steps
    stepped = np.floor(np.clip(coverage, 0, 1) * levels + scatter) / levels
    return np.asarray(np.minimum(stepped, 1) * np.float32(1 - sheet.fade), np.float32)


def reflect(coverage: Field, sheet: Print) -> Field:
    """Light that inks of these coverages (H, W, 4) on this paper give back (H, W, 3), dots being independent."""
    light = np.empty((*coverage.shape[:2], 3), np.float32)
    for colour in range(3):
        plane = np.full(coverage.shape[:2], sheet.paper[colour], np.float32)
        for ink in range(4):
            plane *= 1 - coverage[..., ink] * (1 - INKS[ink, colour])
        light[..., colour] = plane
    return light


def screen_waves(sheet: Print) -> list[Wave]:
    """The four rotated halftone screens as waves; a weight says which ink the wave belongs to."""
    cycles = sheet.lpi * sheet.inches
    waves = []
    for ink, degrees in enumerate(SCREEN_ANGLES):
        for turned in (degrees, degrees + 90):
            angle = math.radians(turned)
            weights = [0j] * 4
            weights[ink] = complex(DOT_HARMONIC)
            waves.append(Wave((cycles * math.cos(angle), cycles * math.sin(angle)), tuple(weights)))
    return waves


def dotted(coverage: Field, modulation: Field) -> Field:
    """Coverages with the dots that the sensor resolves: none in blank paper or solid ink, most at half."""
    dots = modulation * np.sin(np.float32(np.pi) * coverage)
    return np.asarray(np.clip(coverage + dots, 0, 1), np.float32)


def texture(shape: tuple[int, int], sheet: Print) -> Field:
    """Relative brightness of blank paper: fibres, mottled at two scales (H, W)."""
    rng = np.random.default_rng(sheet.seed)
    fine = rng.standard_normal(shape, dtype=np.float32)
    coarse = cv2.resize(
        rng.standard_normal((shape[0] // 6 + 2, shape[1] // 6 + 2), dtype=np.float32), shape[::-1]
    )
    return np.asarray(1 + sheet.grain * (cv2.GaussianBlur(fine, (0, 0), 0.8) * 1.5 + coarse), np.float32)
