"""The cameras that photos are taken with: a few characters, and how a strength changes them."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from tiacam.capture.codec import File
from tiacam.capture.kinds import Strength
from tiacam.capture.occasions import Occasion
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
    spare: Span
    balance: Span
    red: Span  # error of the white balance
    blue: Span
    grey_world: Span
    crush: Span  # black point of green
    dark: tuple[float, float]  # of red and blue, relative to it
    saturation: Span
    contrast: Span
    shoulder: Span
    lift: Span
    denoise: Span
    sharpen: Span
    heic: float = 0.0  # how often it writes HEIC
    aspects: tuple[float, float, float] = (1, 0, 0)  # how often 4:3, 3:2 and 16:9


PHONES = {
    "compact": Phone(
        ratio=Span(1.8, 2.0),
        defocus=Span(0.6, 1.7),
        shot_noise=Span(0.001, 0.0016),
        vignette=Span(0.0, 0.2),
        exposure=Span(0.13, 0.23),
        spare=Span(0.36, 0.5),
        balance=Span(0.7, 0.95),
        red=Span(-0.05, 0.06),
        blue=Span(-0.06, 0.08),
        grey_world=Span(0.0, 0.3),
        crush=Span(0.0, 0.002),
        dark=(1.0, 1.6),
        saturation=Span(1.05, 1.4),
        contrast=Span(0.4, 0.75),
        shoulder=Span(0.8, 1.3),
        lift=Span(0.0, 0.035),
        denoise=Span(0.06, 0.16),
        sharpen=Span(0.1, 0.4),
    ),
    "smartphone": Phone(
        ratio=Span(1.6, 2.0),
        defocus=Span(1.2, 1.5),
        shot_noise=Span(0.0003, 0.0007),
        vignette=Span(0.1, 0.3),
        exposure=Span(0.11, 0.17),
        spare=Span(0.45, 0.55),
        balance=Span(0.95, 1.05),
        red=Span(-0.06, 0.04),
        blue=Span(-0.04, 0.06),
        grey_world=Span(0.3, 0.7),
        crush=Span(0.001, 0.004),
        dark=(0.8, 1.7),
        saturation=Span(1.3, 1.65),
        contrast=Span(0.9, 1.2),
        shoulder=Span(1.0, 1.6),
        lift=Span(0.0, 0.01),
        denoise=Span(0.05, 0.18),
        sharpen=Span(1.3, 1.8),
    ),
    "feature phone": Phone(
        ratio=Span(1.5, 1.6),
        defocus=Span(1.9, 2.4),
        shot_noise=Span(0.0014, 0.0022),
        vignette=Span(0.1, 0.4),
        exposure=Span(0.195, 0.24),
        spare=Span(0.7, 0.8),
        balance=Span(0.95, 1.05),
        red=Span(-0.15, -0.05),
        blue=Span(-0.02, 0.08),
        grey_world=Span(0.6, 0.9),
        crush=Span(0.002, 0.005),
        dark=(0.7, 5.0),
        saturation=Span(1.25, 1.65),
        contrast=Span(0.8, 1.2),
        shoulder=Span(0.0, 0.2),
        lift=Span(0.0, 0.01),
        denoise=Span(0.06, 0.12),
        sharpen=Span(0.0, 0.3),
    ),
    "vivid phone": Phone(
        ratio=Span(1.5, 1.8),
        defocus=Span(1.1, 1.8),
        shot_noise=Span(0.0004, 0.001),
        vignette=Span(0.5, 0.8),
        exposure=Span(0.16, 0.21),
        spare=Span(0.7, 0.8),
        balance=Span(0.8, 1.0),
        red=Span(0.03, 0.17),
        blue=Span(-0.27, -0.09),
        grey_world=Span(0.0, 0.3),
        crush=Span(0.002, 0.009),
        dark=(0.9, 1.7),
        saturation=Span(1.1, 1.4),
        contrast=Span(0.8, 1.3),
        shoulder=Span(0.0, 0.2),
        lift=Span(0.0, 0.005),
        denoise=Span(0.02, 0.1),
        sharpen=Span(0.4, 0.9),
    ),
    "recent phone": Phone(
        ratio=Span(1.8, 2.0),
        defocus=Span(0.33, 0.6),
        shot_noise=Span(0.0005, 0.002),
        vignette=Span(0.0, 0.15),
        exposure=Span(0.14, 0.22),
        spare=Span(0.5, 0.75),
        balance=Span(0.85, 1.0),
        red=Span(-0.04, 0.04),
        blue=Span(-0.06, 0.06),
        grey_world=Span(0.0, 0.4),
        crush=Span(0.0, 0.004),
        dark=(1.0, 1.6),
        saturation=Span(0.95, 1.3),
        contrast=Span(0.4, 0.9),
        shoulder=Span(0.3, 0.9),
        lift=Span(0.0, 0.01),
        denoise=Span(0.1, 0.4),
        sharpen=Span(0.3, 1.0),
        heic=0.4,
        aspects=(8, 1, 1),
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
    Strength.TYPICAL: Circumstances(1.0, 1.0, 1.0, Span(1, 6), 0.2, Span(85, 97), Span(87, 89), 0.95),
    Strength.SEVERE: Circumstances(5.0, 2.0, 1.3, Span(4, 16), 0.6, Span(50, 80), Span(35, 65), 0.9),
}


def draw_camera(
    strength: Strength, occasion: Occasion, rng: np.random.Generator, long_side: int | None
) -> Camera:
    phone, hard = PHONES[occasion.phone], CIRCUMSTANCES[strength]
    side = int(pick(rng, (800, 960, 1200, 1600), (1, 4, 2, 1)))
    ratio = phone.ratio.draw(rng)
    crush = hard.colour * phone.crush.draw(rng)
    noise = phone.shot_noise.draw(rng) * hard.noise
    return Camera(
        long_side=long_side or side,
        aspect=float(pick(rng, (4 / 3, 3 / 2, 16 / 9), phone.aspects)),
        portrait=happens(rng, 0.2, occasion.upright),
        ratio=ratio if (long_side or side) <= 1000 else max(1.0, ratio * 1000 / (long_side or side)),
        defocus=phone.defocus.draw(rng) * hard.defocus,
        shake=hard.shake.draw(rng) * happens(rng, hard.shaken),
        shake_angle=Span(0, math.pi).draw(rng),
        vignette=phone.vignette.draw(rng),
        exposure=phone.exposure.draw(rng),
        spare=phone.spare.draw(rng),
        shot_noise=noise,
        read_noise=0.1 * math.sqrt(noise),
        balance=1 - hard.colour * (1 - phone.balance.draw(rng)),
        tint=(hard.colour * phone.red.draw(rng), hard.colour * phone.blue.draw(rng)),
        grey_world=phone.grey_world.draw(rng),
        crush=(phone.dark[0] * crush, crush, phone.dark[1] * crush),
        saturation=phone.saturation.draw(rng),
        contrast=phone.contrast.draw(rng),
        shoulder=phone.shoulder.draw(rng),
        lift=phone.lift.draw(rng),
        denoise=phone.denoise.draw(rng),
        sharpen=phone.sharpen.draw(rng),
        seed=draw_seed(rng),
    )


def draw_files(strength: Strength, occasion: Occasion, rng: np.random.Generator) -> tuple[File, ...]:
    """What the phone writes, and what sharing makes of it."""
    hard = CIRCUMSTANCES[strength]
    first = File("JPEG", round(hard.quality.draw(rng)))
    heic = File("HEIF", round(hard.quality.draw(rng) - 15))
    shared = File("JPEG", round(hard.shared.draw(rng)))
    own = heic if happens(rng, PHONES[occasion.phone].heic) else first
    return (own, shared) if happens(rng, hard.sharing) else (own,)
