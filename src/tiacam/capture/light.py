"""The light in the room: how unevenly it falls, where it is mirrored, how it flickers."""

from __future__ import annotations

import math
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from tiacam.capture.kinds import Field, Kind, Strength
from tiacam.capture.occasions import Occasion
from tiacam.capture.spans import Span, draw_seed, happens, pick
from tiacam.capture.textures import cloud

COARSE = 6  # light changes slowly: it is computed on every sixth pixel


@dataclass(frozen=True)
class Highlight:
    """A lamp or window mirrored in a glossy surface; positions and sizes in longer sides of the frame."""

    x: float  # from the frame's centre
    y: float
    width: float
    height: float
    angle: float
    power: float  # relative to white paper
    softness: float
    ripple: float  # how far an uneven surface tears it apart
    square: bool


@dataclass(frozen=True)
class Intruder:
    """Something bright that is close to the lens, out of focus at the frame's edge: a finger, a cup, a lampshade."""

    reach: float  # how far into the frame, in its longer sides
    angle: float  # where from
    bulge: float  # how round it is
    softness: float
    level: float  # relative to white paper


@dataclass(frozen=True)
class Light:
    """How the scene is lit."""

    warmth: float  # 0 daylight, 1 a tungsten lamp, negative a blue sky
    mirror_warmth: float  # of what is mirrored, often a window
    slope: float  # relative difference of brightness between two sides of the frame
    direction: float
    spot: float  # how much brighter the middle is, as with a flash
    highlights: tuple[Highlight, ...]
    intruder: Intruder | None
    sheen: float  # pale walls and ceiling mirrored in a glossy surface, relative to white paper
    patches: float  # how unevenly they are mirrored
    desk_gloss: float
    veil: float  # light scattered over the whole frame, relative to the mean
    flicker: float  # depth of the bands that a pulsing light leaves with a rolling shutter
    bands: float  # number of them over the frame
    phase: float
    seed: int


@dataclass(frozen=True)
class LightRanges:
    """What light there is at one strength."""

    warmth: Span
    slope: Span
    spot: Span
    lamp: float  # how often any lamp is mirrored
    intruder: float  # factor on how often something is close to the lens
    highlights: Span
    power: Span
    sheen: Span
    veil: Span
    flicker: Span


LIGHTS = {
    Strength.MILD: LightRanges(
        warmth=Span(-0.1, 0.3),
        slope=Span(0, 0.15),
        spot=Span(0, 0.1),
        lamp=0.5,
        intruder=0.0,
        highlights=Span(0, 1.1),
        power=Span(0.02, 0.1),
        sheen=Span(0, 0.03),
        veil=Span(0, 0.02),
        flicker=Span(0, 0.03),
    ),
    Strength.TYPICAL: LightRanges(
        warmth=Span(-0.2, 1.0),
        slope=Span(0.2, 1.8),
        spot=Span(0, 0.5),
        lamp=0.5,
        intruder=1.0,
        highlights=Span(1, 3.5),
        power=Span(0.4, 7.0),
        sheen=Span(0.08, 0.55),
        veil=Span(0.0, 0.06),
        flicker=Span(0, 0.1),
    ),
    Strength.SEVERE: LightRanges(
        warmth=Span(-0.4, 1.3),
        slope=Span(0.4, 1.1),
        spot=Span(0, 1.0),
        lamp=0.9,
        intruder=1.0,
        highlights=Span(1, 4.5),
        power=Span(1.0, 10.0),
        sheen=Span(0.1, 0.4),
        veil=Span(0.05, 0.4),
        flicker=Span(0.05, 0.4),
    ),
}


def draw_light(kind: Kind, strength: Strength, occasion: Occasion, rng: np.random.Generator) -> Light:
    ranges = LIGHTS[strength]
    count = (
        int(ranges.highlights.part(occasion.lamps).draw(rng))
        if happens(rng, ranges.lamp, occasion.lamp)
        else 0
    )
    power = ranges.power.part(occasion.power)
    warmth = ranges.warmth.part(occasion.warmth).draw(rng)
    return Light(
        warmth=warmth,
        mirror_warmth=warmth - Span(0, 0.4).draw(rng),
        slope=ranges.slope.part(occasion.slope).draw(rng),
        direction=Span(0, 2 * math.pi).draw(rng),
        spot=ranges.spot.draw(rng) if happens(rng, 0.4) else 0.0,
        highlights=tuple(draw_highlight(power, occasion.size, rng) for _ in range(count)),
        intruder=draw_intruder(ranges.intruder * occasion.intruder, rng),
        sheen=ranges.sheen.part(occasion.sheen).draw(rng),
        patches=occasion.patches,
        desk_gloss=Span(0, 0.9).part(occasion.desk_gloss).draw(rng) ** 2,
        veil=ranges.veil.part(occasion.veil).draw(rng),
        flicker=ranges.flicker.draw(rng) * (1.0 if kind is Kind.SCREEN else 0.3),
        bands=Span(1.5, 9).draw(rng),
        phase=Span(0, 1).draw(rng),
        seed=draw_seed(rng),
    )


def draw_highlight(power: Span, size: float, rng: np.random.Generator) -> Highlight:
    return Highlight(
        x=Span(-0.42, 0.42).draw(rng),
        y=Span(-0.35, 0.35).draw(rng),
        width=size * Span(0.01, 0.06).draw(rng),
        height=size * Span(0.02, 0.12).draw(rng),
        angle=Span(0, math.pi).draw(rng),
        power=power.draw(rng),
        softness=Span(0.08, 0.5).draw(rng),
        ripple=Span(0.0, 0.9).draw(rng),
        square=happens(rng, 0.4),
    )


def draw_intruder(often: float, rng: np.random.Generator) -> Intruder | None:
    """Mostly from the left, where the hand holds the camera, and from below."""
    there = happens(rng, often)
    intruder = Intruder(
        reach=Span(0.06, 0.32).draw(rng),
        angle=pick(rng, (math.pi, math.pi / 2), (4, 1)) + Span(-0.2, 0.2).draw(rng),
        bulge=Span(0.0, 0.6).draw(rng),
        softness=Span(0.008, 0.03).draw(rng),
        level=Span(1.2, 3.5).draw(rng),
    )
    return intruder if there else None


def colour_of_light(warmth: float) -> NDArray[np.float32]:
    """Red, green and blue of light of this warmth, green being 1."""
    return np.array([1 + 0.4 * warmth, 1.0, 1 - 0.55 * warmth], np.float32)


def illumination(light: Light, frame: tuple[int, int]) -> Field:
    """Relative brightness of the light over the frame, about 1 on average (H, W)."""
    x, y = _coarse_grid(frame)
    along = x * math.cos(light.direction) + y * math.sin(light.direction)
    field = np.exp(light.slope * along) * (1 + light.spot * (np.exp(-4 * (x**2 + y**2)) - 0.6))
    rng = np.random.default_rng(light.seed)
    uneven = cv2.resize(cloud(rng, 64, 2, 2), (x.shape[1], x.shape[0]))
    return _fine(np.clip(field * (1 + 0.4 * light.slope * uneven), 0.05, 4), frame)


def glare(light: Light, frame: tuple[int, int]) -> Field:
    """Mirrored light to be added, weighted later by how glossy what is hit is (H, W)."""
    x, y = _coarse_grid(frame)
    rng = np.random.default_rng(light.seed + 1)
    patches = cv2.resize(cloud(rng, 64, 2, 3), (x.shape[1], x.shape[0]))
    total = light.sheen * np.clip(0.5 + light.patches * patches, 0.25, 2)
    for highlight in light.highlights:
        torn = cv2.resize(cloud(rng, 64, 5, 4), (x.shape[1], x.shape[0])) * highlight.ripple
        total += highlight.power * _profile(highlight, x, y, torn)
    return _fine(total, frame)


def intrusion(light: Light, frame: tuple[int, int]) -> Field | None:
    """How far something close to the lens covers the frame, 0 to 1 (H, W)."""
    if light.intruder is None:
        return None
    x, y = _coarse_grid(frame)
    cos, sin = math.cos(light.intruder.angle), math.sin(light.intruder.angle)
    edge = (frame[0] * abs(cos) + frame[1] * abs(sin)) / max(frame) / 2 - light.intruder.reach
    depth = x * cos + y * sin - light.intruder.bulge * (y * cos - x * sin) ** 2 - edge
    cover = 1 / (1 + np.exp(np.clip(-depth / light.intruder.softness, -30, 30)))
    return np.clip(_fine(cover, frame), 0, 1)


def flicker_bands(light: Light, rows: int) -> NDArray[np.float32]:
    """Brightness of each sensor row (rows,), pulses smoothed by the exposure."""
    turn = 2 * math.pi * (np.arange(rows) / rows * light.bands + light.phase)
    pulse = np.tanh(2.0 * np.sin(turn)) / math.tanh(2.0)
    return np.asarray(1 + light.flicker * pulse, np.float32)


def _profile(highlight: Highlight, x: Field, y: Field, torn: Field) -> Field:
    """A bright core with a faint halo."""
    cos, sin = math.cos(highlight.angle), math.sin(highlight.angle)
    across = ((x - highlight.x) * cos + (y - highlight.y) * sin) / highlight.width
    along = ((y - highlight.y) * cos - (x - highlight.x) * sin) / highlight.height
    distance = np.maximum(np.abs(across), np.abs(along)) if highlight.square else np.hypot(across, along)
    distance = distance + torn
    core = 1 / (1 + np.exp(np.clip((distance - 1) / highlight.softness, -30, 30)))
    return np.asarray(core + 0.06 * np.exp(-0.7 * np.clip(distance, 0, 60)), np.float32)


def _coarse_grid(frame: tuple[int, int]) -> tuple[Field, Field]:
    """Coordinates from the frame's centre in its longer sides, on the coarse grid."""
    width, height = (-(-side // COARSE) for side in frame)
    longest = max(frame)
    x = (np.arange(width, dtype=np.float32) + 0.5 - width / 2) * np.float32(COARSE / longest)
    y = (np.arange(height, dtype=np.float32) + 0.5 - height / 2) * np.float32(COARSE / longest)
    across, down = np.meshgrid(x, y)
    return across, down


def _fine(field: NDArray[np.floating], frame: tuple[int, int]) -> Field:
    return np.asarray(cv2.resize(field.astype(np.float32), frame, interpolation=cv2.INTER_CUBIC), np.float32)
