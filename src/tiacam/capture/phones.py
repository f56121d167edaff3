"""The cameras that photos are taken with: a few characters, and how a strength changes them."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from tiacam.capture.codec import File
from tiacam.capture.kinds import Kind, Strength
from tiacam.capture.sensor import Camera
from tiacam.capture.spans import Span, draw_seed, happens, pick


@dataclass(frozen=True)
class Phone:
    """What one sort of camera does, before the circumstances make it worse."""

    ratio: Span  # sensor pixels a photo pixel
    defocus: Span
    shot_noise: Span
    vignette: Span
    exposure: Span
    balance: Span
    red: Span  # error of the white balance
    blue: Span
    grey_world: Span
    crush: Span
    saturation: Span
    contrast: Span
    lift: Span
    denoise: Span
    sharpen: Span
    weight: float  # how often it is met before prints
    before_screens: float  # and before displays, which mostly newer cameras photograph


PHONES = {
    "compact": Phone(
        ratio=Span(1.8, 2.0),
        defocus=Span(0.75, 1.5),
        shot_noise=Span(0.0008, 0.0016),
        vignette=Span(0.0, 0.2),
        exposure=Span(0.25, 0.36),
        balance=Span(0.7, 0.95),
        red=Span(-0.05, 0.06),
        blue=Span(-0.08, 0.06),
        grey_world=Span(0.0, 0.3),
        crush=Span(0.0, 0.003),
        saturation=Span(1.0, 1.4),
        contrast=Span(0.3, 0.7),
        lift=Span(0.0, 0.03),
        denoise=Span(0.0, 0.2),
        sharpen=Span(0.0, 0.5),
        weight=1.0,
        before_screens=0.4,
    ),
    "smartphone": Phone(
        ratio=Span(1.6, 2.0),
        defocus=Span(0.85, 1.45),
        shot_noise=Span(0.0006, 0.0016),
        vignette=Span(0.1, 0.3),
        exposure=Span(0.22, 0.33),
        balance=Span(0.95, 1.05),
        red=Span(-0.06, 0.04),
        blue=Span(-0.04, 0.06),
        grey_world=Span(0.3, 0.7),
        crush=Span(0.002, 0.008),
        saturation=Span(0.9, 1.3),
        contrast=Span(0.4, 0.9),
        lift=Span(0.0, 0.01),
        denoise=Span(0.1, 0.4),
        sharpen=Span(0.6, 1.5),
        weight=1.0,
        before_screens=0.4,
    ),
    "feature phone": Phone(
        ratio=Span(1.4, 1.7),
        defocus=Span(1.7, 2.4),
        shot_noise=Span(0.002, 0.004),
        vignette=Span(0.1, 0.4),
        exposure=Span(0.21, 0.26),
        balance=Span(0.95, 1.05),
        red=Span(-0.1, 0.0),
        blue=Span(-0.12, -0.02),
        grey_world=Span(0.6, 0.9),
        crush=Span(0.003, 0.010),
        saturation=Span(1.2, 1.7),
        contrast=Span(0.4, 0.9),
        lift=Span(0.0, 0.01),
        denoise=Span(0.1, 0.4),
        sharpen=Span(0.0, 0.3),
        weight=1.0,
        before_screens=0.4,
    ),
    "vivid phone": Phone(
        ratio=Span(1.5, 1.8),
        defocus=Span(1.0, 1.7),
        shot_noise=Span(0.0008, 0.002),
        vignette=Span(0.2, 0.5),
        exposure=Span(0.18, 0.24),
        balance=Span(0.6, 0.9),
        red=Span(0.05, 0.2),
        blue=Span(-0.4, -0.15),
        grey_world=Span(0.0, 0.3),
        crush=Span(0.004, 0.012),
        saturation=Span(1.0, 1.4),
        contrast=Span(0.4, 0.9),
        lift=Span(0.0, 0.005),
        denoise=Span(0.1, 0.4),
        sharpen=Span(0.1, 0.6),
        weight=1.0,
        before_screens=0.4,
    ),
    "recent phone": Phone(
        ratio=Span(1.8, 2.0),
        defocus=Span(0.33, 0.6),
        shot_noise=Span(0.0005, 0.002),
        vignette=Span(0.0, 0.15),
        exposure=Span(0.2, 0.3),
        balance=Span(0.85, 1.0),
        red=Span(-0.04, 0.04),
        blue=Span(-0.06, 0.06),
        grey_world=Span(0.0, 0.4),
        crush=Span(0.0, 0.004),
        saturation=Span(0.95, 1.3),
        contrast=Span(0.4, 0.9),
        lift=Span(0.0, 0.01),
        denoise=Span(0.1, 0.4),
        sharpen=Span(0.3, 1.0),
        weight=0.2,
        before_screens=3.0,
    ),
}


@dataclass(frozen=True)
class Circumstances:
    """How a strength changes whatever camera it is."""

    noise: float  # factor on the noise's variance
    defocus: float  # factor on the lens's blur
    colour: float  # factor on errors of colour
    shake: Span  # sensor pixels of motion
    shaken: float  # how often the hand moves at all
    quality: Span  # of the phone's JPEG
    shared: Span  # of the JPEG after sharing
    sharing: float  # how often it is shared


CIRCUMSTANCES = {
    Strength.MILD: Circumstances(0.3, 0.7, 0.3, Span(0, 1.5), 0.2, Span(90, 97), Span(85, 95), 0.2),
    Strength.TYPICAL: Circumstances(1.0, 1.0, 1.0, Span(1, 6), 0.2, Span(85, 97), Span(85, 91), 0.8),
    Strength.SEVERE: Circumstances(5.0, 2.0, 1.3, Span(4, 16), 0.6, Span(50, 80), Span(35, 65), 0.9),
}


def draw_camera(kind: Kind, strength: Strength, rng: np.random.Generator, long_side: int | None) -> Camera:
    phones = tuple(PHONES.values())
    weights = [phone.before_screens if kind is Kind.SCREEN else phone.weight for phone in phones]
    phone, hard = pick(rng, phones, weights), CIRCUMSTANCES[strength]
    side = int(pick(rng, (800, 960, 1200, 1600), (1, 4, 2, 1)))
    ratio = phone.ratio.draw(rng)
    crush = hard.colour * phone.crush.draw(rng)
    noise = phone.shot_noise.draw(rng) * hard.noise
    return Camera(
        long_side=long_side or side,
        aspect=float(pick(rng, (4 / 3, 3 / 2, 16 / 9), (8, 1, 1))),
        portrait=happens(rng, 0.2),
        ratio=ratio if (long_side or side) <= 1000 else max(1.0, ratio * 1000 / (long_side or side)),
        defocus=phone.defocus.draw(rng) * hard.defocus,
        shake=hard.shake.draw(rng) * happens(rng, hard.shaken),
        shake_angle=Span(0, math.pi).draw(rng),
        vignette=phone.vignette.draw(rng),
        exposure=phone.exposure.draw(rng),
        shot_noise=noise,
        read_noise=0.1 * math.sqrt(noise),
        balance=1 - hard.colour * (1 - phone.balance.draw(rng)),
        tint=(hard.colour * phone.red.draw(rng), hard.colour * phone.blue.draw(rng)),
        grey_world=phone.grey_world.draw(rng),
        crush=(crush, crush, 1.6 * crush),
        saturation=phone.saturation.draw(rng),
        contrast=phone.contrast.draw(rng),
        lift=phone.lift.draw(rng),
        denoise=phone.denoise.draw(rng),
        sharpen=phone.sharpen.draw(rng),
        seed=draw_seed(rng),
    )


def draw_files(strength: Strength, rng: np.random.Generator) -> tuple[File, ...]:
    """What the phone writes, and what sharing makes of it."""
    hard = CIRCUMSTANCES[strength]
    first = File("JPEG", round(hard.quality.draw(rng)))
    heic = File("HEIF", round(hard.quality.draw(rng) - 15))
    shared = File("JPEG", round(hard.shared.draw(rng)))
    own = heic if happens(rng, 0.15) else first
    return (own, shared) if happens(rng, hard.sharing) else (own,)
