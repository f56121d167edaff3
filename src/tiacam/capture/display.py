"""A display: the picture in emitted light, behind a grid of red, green and blue sub-pixels."""

from __future__ import annotations

import cmath
import math
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from tiacam.capture.kinds import Strength
from tiacam.capture.lattice import Wave
from tiacam.capture.spans import Span, draw_margins, pick


class Layout(StrEnum):
    """How sub-pixels are arranged."""

    STRIPE = "stripe"  # three upright stripes a pixel: most monitors and laptops
    DIAMOND = "diamond"  # green at every pixel, red and blue at every other: most phones with OLED


@dataclass(frozen=True)
class Display:
    """One display showing the picture."""

    pixels: float  # display pixels along the picture's longer side
    layout: Layout
    fill: float  # share of a pixel's height (and of a stripe's width) that emits light
    contrast: float  # what a matte coating leaves of the grid's visibility, 0 hides it
    gloss: float  # how strongly the front mirrors the room
    luminance: float  # white of the display relative to white paper under the room's light
    warmth: float  # of its white, as of a lamp's
    bezel: float  # width of the frame around the display, in surface units
    margins: tuple[float, float, float, float]  # display area left, above, right and below the picture
    window: int  # grey level of what surrounds the picture on the display


@dataclass(frozen=True)
class DisplayRanges:
    """What displays there are at one strength."""

    pixels: Span
    fill: Span
    contrast: Span
    luminance: Span
    margin: Span


DISPLAYS = {
    Strength.MILD: DisplayRanges(
        Span(900, 2000), Span(0.80, 0.92), Span(0.2, 0.6), Span(1.2, 3.0), Span(-0.05, 0.05)
    ),
    Strength.TYPICAL: DisplayRanges(
        Span(450, 1300), Span(0.70, 0.90), Span(0.4, 0.9), Span(0.7, 2.2), Span(-0.3, 0.35)
    ),
    Strength.SEVERE: DisplayRanges(
        Span(300, 800), Span(0.60, 0.85), Span(0.8, 1.0), Span(0.3, 1.2), Span(0.1, 0.9)
    ),
}


def draw_display(strength: Strength, rng: np.random.Generator) -> Display:
    ranges = DISPLAYS[strength]
    return Display(
        pixels=ranges.pixels.draw(rng),
        layout=pick(rng, (Layout.STRIPE, Layout.DIAMOND), (3, 1)),
        fill=ranges.fill.draw(rng),
        contrast=ranges.contrast.draw(rng),
        gloss=Span(0.02, 0.25).draw(rng),
        luminance=ranges.luminance.draw(rng),
        warmth=Span(-0.3, 0.15).draw(rng),
        bezel=Span(0.015, 0.07).draw(rng),
        margins=draw_margins(ranges.margin, rng),
        window=int(pick(rng, (8, 24, 45, 230, 255))),
    )


def subpixel_waves(display: Display) -> list[Wave]:
    """The sub-pixel grid as waves over the surface, the mean taken out."""
    return _diamond_waves(display) if display.layout is Layout.DIAMOND else _stripe_waves(display)


def _stripe_waves(display: Display) -> list[Wave]:
    centres = (1 / 6, 1 / 2, 5 / 6)
    orders = ((1, 0), (0, 1), (1, 1), (1, -1), (2, 0), (0, 2))
    return [_stripe_wave(display, across, down, centres) for across, down in orders]


def _stripe_wave(display: Display, across: int, down: int, centres: tuple[float, ...]) -> Wave:
    size = display.contrast * _sinc(across * display.fill / 3) * _sinc(down * display.fill)
    weights = tuple(size * cmath.exp(-2j * math.pi * across * centre) for centre in centres)
    return Wave((across * display.pixels, down * display.pixels), weights)


def _diamond_waves(display: Display) -> list[Wave]:
    """Red and blue sit on a lattice of half the density, turned by 45°."""
    dot = 0.62 * display.fill
    waves = []
    for across, down in ((0.5, 0.5), (0.5, -0.5), (1.0, 0.0), (0.0, 1.0)):
        size = display.contrast * _sinc(across * dot) * _sinc(down * dot)
        turn = cmath.exp(-2j * math.pi * 0.5 * (across + down))
        whole = float(across).is_integer()
        weights = (complex(size), size * turn if whole else 0j, size * (1 if whole else -1 + 0j))
        waves.append(Wave((across * display.pixels, down * display.pixels), weights))
    return waves


def _sinc(x: float) -> float:
    return float(np.sinc(x))
