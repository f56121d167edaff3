"""What surrounds the picture: a desk with things on it, or the room behind a display."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from tiacam.capture.geometry import SurfaceMap
from tiacam.capture.kinds import Kind, Pixels, Strength
from tiacam.capture.occasions import Occasion
from tiacam.capture.spans import Span, draw_seed, happens, pick
from tiacam.capture.textures import DESKS, colour_of, scenery, write_lines

CANVAS = 1024
REACHES = (1.2, 5.0)  # surface units each way that the desk's canvas may cover; beyond, it is mirrored


@dataclass(frozen=True)
class Scene:
    """What is around the picture."""

    desk: str  # a key of textures.DESKS
    behind: bool  # the surroundings are far behind the picture instead of in its plane
    photo: bool  # a background photo stands in for the desk, where any is given
    clutter: int  # things lying about
    fingers: int  # of the hand that holds the picture
    shadow: float  # darkness of the shadow beside the sheet or device
    seed: int


@dataclass(frozen=True)
class SceneRanges:
    """What surroundings there are at one strength."""

    clutter: Span
    photo: float
    fingers: float


SCENES = {
    Strength.MILD: SceneRanges(Span(0, 1.5), 0.1, 0.0),
    Strength.TYPICAL: SceneRanges(Span(0, 6), 0.1, 0.12),
    Strength.SEVERE: SceneRanges(Span(3, 12), 0.5, 0.5),
}


def draw_scene(kind: Kind, strength: Strength, occasion: Occasion, rng: np.random.Generator) -> Scene:
    ranges = SCENES[strength]
    likely = 0.25 if kind is Kind.SCREEN else 1.0  # a display is rarely held
    return Scene(
        desk=pick(rng, tuple(DESKS), occasion.desks),
        behind=happens(rng, 0.5 if kind is Kind.SCREEN else 0.05),
        photo=happens(rng, ranges.photo, occasion.photo),
        clutter=int(ranges.clutter.part(occasion.clutter).draw(rng)),
        fingers=int(Span(1, 3.99).draw(rng)) if happens(rng, ranges.fingers * likely) else 0,
        shadow=Span(0.1, 0.6).draw(rng),
        seed=draw_seed(rng),
    )


def surroundings(scene: Scene, surface: SurfaceMap, backgrounds: Sequence[Pixels]) -> Pixels:
    """The scene without the picture, at every pixel of the map (H, W, 3)."""
    rng = np.random.default_rng(scene.seed)
    canvas = _ground(scene, rng, backgrounds)
    reach = float(np.clip(np.percentile(np.abs(surface.coarse), 99), *REACHES))
    pixels = CANVAS / (2 * reach)
    for _ in range(scene.clutter):
        _lay(canvas, _thing(rng, backgrounds, pixels), rng, pixels)
    if scene.behind:
        height, width = surface.x.shape
        return _behind(canvas, (width, height))
    x, y = ((axis + np.float32(reach)) * np.float32(pixels) for axis in (surface.x, surface.y))
    seen = cv2.remap(canvas, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT_101)
    return np.asarray(seen, np.uint8)


def _ground(scene: Scene, rng: np.random.Generator, backgrounds: Sequence[Pixels]) -> Pixels:
    if scene.photo and backgrounds:
        chosen = backgrounds[int(rng.integers(len(backgrounds)))]
        return np.asarray(cv2.resize(chosen, (CANVAS, CANVAS), interpolation=cv2.INTER_AREA), np.uint8)
    return DESKS[scene.desk](rng, CANVAS)


def _behind(canvas: Pixels, size: tuple[int, int]) -> Pixels:
    """A room out of focus: the canvas's middle, blurred, filling the frame."""
    soft = cv2.GaussianBlur(canvas, (0, 0), CANVAS / 90)
    return np.asarray(cv2.resize(soft, size, interpolation=cv2.INTER_LINEAR), np.uint8)


def _thing(rng: np.random.Generator, backgrounds: Sequence[Pixels], pixels: float) -> Pixels:
    """Something that lies on a desk, upright and flat: a book, a page, a device, a pen."""
    what = pick(rng, ("book", "page", "device", "pen"), (3, 1.2, 2, 1))
    size = rng.uniform(0.5, 1.3, 2) * pixels
    if what == "pen":
        size = np.array([rng.uniform(0.02, 0.05), rng.uniform(0.4, 0.9)]) * pixels
    width, height = (max(4, int(v)) for v in size)
    if what == "page":
        return write_lines(
            np.full((height, width, 3), int(rng.integers(200, 250)), np.uint8),
            rng,
            max(3, round(0.018 * pixels)),
        )
    if what == "book":
        return _cover(rng, backgrounds, width, height)
    value = rng.uniform(0.03, 0.15) if what == "device" else rng.uniform(0.1, 0.9)
    shade = colour_of(rng.uniform(0, 1), rng.uniform(0, 0.8 if what == "pen" else 0.1), value)
    return np.full((height, width, 3), shade, np.float32).astype(np.uint8)


def _cover(rng: np.random.Generator, backgrounds: Sequence[Pixels], width: int, height: int) -> Pixels:
    photo = backgrounds and happens(rng, 0.6)
    chosen = backgrounds[int(rng.integers(len(backgrounds)))] if photo else scenery(rng, 96)
    return np.asarray(cv2.resize(chosen, (width, height), interpolation=cv2.INTER_AREA), np.uint8)


def _lay(canvas: Pixels, thing: Pixels, rng: np.random.Generator, pixels: float) -> None:
    """Put a thing onto the canvas, turned, somewhere around its middle, with a soft shadow below it."""
    angle, distance = rng.uniform(0, 2 * math.pi), rng.uniform(0.45, 1.6)
    turn = rng.normal(0, 25) + pick(rng, (0.0, 90.0, 180.0))
    x, y = (CANVAS / 2 + distance * f(angle) * pixels for f in (math.cos, math.sin))
    matrix = cv2.getRotationMatrix2D((thing.shape[1] / 2, thing.shape[0] / 2), turn, 1.0)
    matrix[:, 2] += np.array([x - thing.shape[1] / 2, y - thing.shape[0] / 2])
    _shade(canvas, cv2.warpAffine(np.full(thing.shape[:2], 255, np.uint8), matrix, (CANVAS, CANVAS)))
    cv2.warpAffine(thing, matrix, (CANVAS, CANVAS), dst=canvas, borderMode=cv2.BORDER_TRANSPARENT)


def _shade(canvas: Pixels, outline: NDArray[np.generic]) -> None:
    small = cv2.resize(
        np.asarray(outline, np.uint8), (CANVAS // 4, CANVAS // 4), interpolation=cv2.INTER_AREA
    )
    soft = cv2.resize(cv2.GaussianBlur(small, (0, 0), 2.5), (CANVAS, CANVAS))
    np.multiply(canvas, 1 - soft[..., None] * np.float32(0.5 / 255), out=canvas, casting="unsafe")
