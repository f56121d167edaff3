"""Every attack under its name."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tiacam.capture.attacks import operations as do
from tiacam.capture.attacks.attack import Attack, Group, Operation
from tiacam.capture.attacks.moire import through_grid
from tiacam.capture.codec import File, through
from tiacam.capture.kinds import Kind, Pixels, Strength
from tiacam.capture.simulator import simulate
from tiacam.capture.spans import pick


def fixed(change: Callable[[Pixels], Pixels]) -> Operation:
    """An operation that draws nothing."""
    return lambda picture, _rng: change(picture)


def saved(*files: tuple[str, int]) -> Operation:
    """Written and read again as these files in turn."""
    return fixed(lambda picture: through(picture, *(File(*file) for file in files)))


def then(*operations: Operation) -> Operation:
    """One after the other."""

    def chain(picture: Pixels, rng: np.random.Generator) -> Pixels:
        for operation in operations:
            picture = operation(picture, rng)
        return picture

    return chain


def screenshot(picture: Pixels, rng: np.random.Generator) -> Pixels:
    return simulate(picture, Kind.SCREENSHOT, Strength.TYPICAL, seed=int(rng.integers(2**31))).photo


def move(share: float) -> Operation:
    """By this share of width and of height, to a corner that the seed draws."""

    def moved(picture: Pixels, rng: np.random.Generator) -> Pixels:
        across, down = (pick(rng, (-share, share)) for _ in range(2))
        return do.translate(picture, across, down)

    return moved


# --- the six distortions of Table 1; each draws its severity ---------------------------------------------------


def additive(picture: Pixels, rng: np.random.Generator) -> Pixels:
    noisy = do.add_noise(picture, rng.uniform(8, 25), rng)
    return do.salt_and_pepper(noisy, rng.uniform(0, 0.02), rng)


def photometric(picture: Pixels, rng: np.random.Generator) -> Pixels:
    return do.curve(picture, rng.uniform(0.6, 1.6), rng.uniform(0.7, 1.2), rng.uniform(-0.1, 0.1))


def perspective(picture: Pixels, rng: np.random.Generator) -> Pixels:
    return do.bend_corners(picture, 0.2, rng)


def compression(picture: Pixels, rng: np.random.Generator) -> Pixels:
    return through(picture, File("JPEG", int(rng.integers(15, 61))))


def filtering(picture: Pixels, rng: np.random.Generator) -> Pixels:
    if rng.random() < 0.5:
        return do.blur(picture, rng.uniform(0.8, 3.0))
    return do.shake(picture, int(rng.integers(2, 8)) * 2 + 1, rng.uniform(0, 180))


EVERYTHING = then(through_grid, perspective, photometric, additive, filtering, compression)


def _digital() -> list[Attack]:
    rows: list[tuple[str, str, str, Operation]] = [
        ("identity", "Identity", "the picture as it is", fixed(lambda p: p.copy())),
        (
            "rotation-25",
            "Rotation (25°)",
            "turned by 25°, same canvas, black",
            fixed(lambda p: do.rotate(p, 25)),
        ),
        ("crop-0.5", "Crop (0.5)", "the middle, half of the area", fixed(lambda p: do.centre_crop(p, 0.5))),
        (
            "crop-0.1",
            "Crop (0.1)",
            "the middle, a tenth of the area",
            fixed(lambda p: do.centre_crop(p, 0.1)),
        ),
        ("resize-0.7", "Resize (0.7)", "shrunk to 0.7 of the area", fixed(lambda p: do.scale_area(p, 0.7))),
        ("blur-2", "Blur (2.0)", "Gaussian blur, deviation 2 pixels", fixed(lambda p: do.blur(p, 2.0))),
        ("jpeg-50", "JPEG (50)", "JPEG, quality 50", saved(("JPEG", 50))),
        ("brightness-2", "Brightness (2.0)", "coded values doubled", fixed(lambda p: do.brighten(p, 2.0))),
        ("contrast-2", "Contrast (2.0)", "contrast doubled", fixed(lambda p: do.stretch_contrast(p, 2.0))),
        ("hue-0.25", "Hue (0.25)", "hues turned by a quarter circle", fixed(lambda p: do.turn_hue(p, 0.25))),
        ("screenshot", "Screenshot", "a typical simulated screenshot", screenshot),
    ]
    return [Attack(name, Group.DIGITAL, effect, run, paper) for name, paper, effect, run in rows]


def _geometric() -> list[Attack]:
    moves = [
        Attack(
            f"translation-{p}",
            Group.GEOMETRIC,
            f"moved {p}% across and down, black",
            move(p / 100),
            f"Translation {p}%",
        )
        for p in (10, 25, 50)
    ]
    turns = [
        Attack(
            f"rotation-{d}",
            Group.GEOMETRIC,
            f"turned by {d}°, same canvas, black",
            _turn(d),
            f"Rotation {d}°",
        )
        for d in (15, 30, 45)
    ]
    zooms = [
        Attack(
            f"scaling{s:+d}",
            Group.GEOMETRIC,
            f"sides scaled by {s:+d}%, same canvas",
            _zoom(s),
            f"Scaling ±{abs(s)}%",
        )
        for p in (10, 20, 25)
        for s in (p, -p)
    ]
    return moves + turns + zooms


def _turn(degrees: int) -> Operation:
    return fixed(lambda picture: do.rotate(picture, degrees))


def _zoom(percent: int) -> Operation:
    return fixed(lambda picture: do.rotate(picture, 0, 1 + percent / 100))


def _distortions() -> list[Attack]:
    rows: list[tuple[str, str, str, Operation]] = [
        ("additive", "Additive", "Gaussian noise of 8 to 25 levels, up to 2% salt and pepper", additive),
        ("photometric", "Photometric", "gain, gamma and offset", photometric),
        ("perspective", "Perspective", "corners moved in by up to 20%, black", perspective),
        ("jpeg", "JPEG", "JPEG, quality 15 to 60", compression),
        ("moire", "Moiré", "a display's sub-pixels sampled by a sensor", through_grid),
        ("filtering", "Filtering", "Gaussian or motion blur", filtering),
        ("all", "All", "all six, in the paper's order", EVERYTHING),
    ]
    return [Attack(name, Group.DISTORTION, effect, run, paper) for name, paper, effect, run in rows]


def _occlusions() -> list[Attack]:
    return [
        Attack(f"occlusion-{p}", Group.OCCLUSION, f"{p}% under one opaque rectangle", _covered(p / 100))
        for p in range(10, 100, 10)
    ]


def _covered(share: float) -> Operation:
    return lambda picture, rng: do.cover(picture, share, rng)


def _field() -> list[Attack]:
    rows: list[tuple[str, str, Operation]] = [
        ("flip", "mirrored left to right", fixed(lambda p: np.ascontiguousarray(p[:, ::-1]))),
        ("turn-90", "turned by 90°, nothing lost", fixed(lambda p: np.ascontiguousarray(np.rot90(p)))),
        ("turn-180", "upside down", fixed(lambda p: np.ascontiguousarray(p[::-1, ::-1]))),
        ("grey", "without colour", fixed(do.grey)),
        ("median-5", "median of 5 × 5 pixels", fixed(lambda p: do.median(p, 5))),
        ("sharpen-2", "unsharp mask, amount 2", fixed(lambda p: do.sharpen(p, 2.0))),
        ("gamma-0.5", "lighter by a gamma of 0.5", fixed(lambda p: do.curve(p, 0.5))),
        ("gamma-2", "darker by a gamma of 2", fixed(lambda p: do.curve(p, 2.0))),
        ("noise-20", "Gaussian noise of 20 levels", lambda p, rng: do.add_noise(p, 20.0, rng)),
        (
            "aspect-0.75",
            "squeezed to 3/4 of its width",
            fixed(lambda p: do.resized(p, p.shape[1] * 0.75, p.shape[0])),
        ),
        (
            "aspect-1.33",
            "squeezed to 3/4 of its height",
            fixed(lambda p: do.resized(p, p.shape[1], p.shape[0] * 0.75)),
        ),
        ("resize-0.1", "shrunk to a tenth of the area", fixed(lambda p: do.scale_area(p, 0.1))),
        ("crop-0.25", "the middle, a quarter of the area", fixed(lambda p: do.centre_crop(p, 0.25))),
        ("jpeg-10", "JPEG, quality 10", saved(("JPEG", 10))),
        ("double-jpeg", "JPEG, quality 75, then 40", saved(("JPEG", 75), ("JPEG", 40))),
        ("webp-30", "WebP, quality 30", saved(("WEBP", 30))),
        ("avif-30", "AVIF, quality 30", saved(("AVIF", 30))),
        ("heic-30", "HEIC, quality 30", saved(("HEIF", 30))),
    ]
    return [Attack(name, Group.FIELD, effect, run) for name, effect, run in rows]


def _combined() -> list[Attack]:
    crop, turn = fixed(lambda p: do.centre_crop(p, 0.5)), fixed(lambda p: do.rotate(p, 15))
    flip, small = fixed(lambda p: np.ascontiguousarray(p[:, ::-1])), fixed(lambda p: do.scale_area(p, 0.25))
    rows: list[tuple[str, str, Operation]] = [
        ("crop-jpeg", "half of the area, then JPEG 50", then(crop, saved(("JPEG", 50)))),
        ("rotation-crop-jpeg", "15°, half of the area, then JPEG 50", then(turn, crop, saved(("JPEG", 50)))),
        ("flip-webp", "mirrored, then WebP 50", then(flip, saved(("WEBP", 50)))),
        (
            "shared-twice",
            "a quarter of the area in pixels, WebP 60, JPEG 50",
            then(small, saved(("WEBP", 60), ("JPEG", 50))),
        ),
        ("photometric-jpeg", "gain, gamma and offset, then JPEG 50", then(photometric, saved(("JPEG", 50)))),
        ("screenshot-crop", "a screenshot, half of its area", then(screenshot, crop)),
    ]
    return [Attack(name, Group.COMBINED, effect, run) for name, effect, run in rows]


ATTACKS: dict[str, Attack] = {
    attack.name: attack
    for attack in (*_digital(), *_geometric(), *_distortions(), *_occlusions(), *_field(), *_combined())
}


def attacks_of(group: Group) -> list[Attack]:
    """The attacks of one table, in its order."""
    return [attack for attack in ATTACKS.values() if attack.group is group]
