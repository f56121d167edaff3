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
        defocus=Span(0.35, 2.24),
        shot_noise=Span(0.00086, 0.00238),
        vignette=Span(0.04, 0.16),
        exposure=Span(0.194, 0.263),
        spare=Span(0.25, 0.285),
        balance=Span(0.7, 0.75),
        red=Span(-0.17, 0.06),
        blue=Span(0.02, 0.09),
        grey_world=Span(0.0, 0.13),
        crush=Span(0.0, 0.0008),
        dark=(1.0, 1.6),
        saturation=Span(0.8, 1.52),
        contrast=Span(0.82, 0.97),
        shoulder=Span(1.33, 1.6),
        lift=Span(0.0, 0.027),
        denoise=Span(0.223, 0.24),
        sharpen=Span(0.14, 0.54),
    ),
    "smartphone": Phone(
        ratio=Span(1.6, 2.0),
        defocus=Span(0.64, 1.41),
        shot_noise=Span(0.00062, 0.00112),
        vignette=Span(0.18, 0.2),
        exposure=Span(0.132, 0.15),
        spare=Span(0.58, 0.63),
        balance=Span(0.93, 0.94),
        red=Span(-0.02, 0.01),
        blue=Span(0.0, 0.03),
        grey_world=Span(0.0, 0.04),
        crush=Span(0.0021, 0.0028),
        dark=(0.8, 1.7),
        saturation=Span(1.15, 2.03),
        contrast=Span(1.23, 1.25),
        shoulder=Span(0.72, 1.89),
        lift=Span(0.028, 0.032),
        denoise=Span(0.246, 0.304),
        sharpen=Span(0.5, 0.66),
    ),
    "feature phone": Phone(
        ratio=Span(1.5, 1.6),
        defocus=Span(1.99, 2.39),
        shot_noise=Span(0.00121, 0.00196),
        vignette=Span(0.0, 0.62),
        exposure=Span(0.152, 0.173),
        spare=Span(0.62, 0.71),
        balance=Span(0.87, 0.92),
        red=Span(-0.15, -0.11),
        blue=Span(-0.052, -0.022),
        grey_world=Span(0.39, 0.5),
        crush=Span(0.0, 0.0008),
        dark=(0.7, 5.0),
        saturation=Span(1.41, 1.56),
        contrast=Span(1.02, 1.17),
        shoulder=Span(0.55, 0.62),
        lift=Span(0.01, 0.018),
        denoise=Span(0.057, 0.086),
        sharpen=Span(0.02, 0.2),
    ),
    "vivid phone": Phone(
        ratio=Span(1.5, 1.8),
        defocus=Span(0.85, 2.24),
        shot_noise=Span(0.00023, 0.00129),
        vignette=Span(0.71, 0.75),
        exposure=Span(0.118, 0.187),
        spare=Span(0.96, 1.0),
        balance=Span(0.71, 0.83),
        red=Span(-0.12, -0.07),
        blue=Span(-0.08, -0.05),
        grey_world=Span(0.17, 0.21),
        crush=Span(0.0018, 0.0035),
        dark=(0.9, 1.7),
        saturation=Span(1.7, 1.8),
        contrast=Span(1.18, 1.2),
        shoulder=Span(0.54, 0.83),
        lift=Span(0.004, 0.007),
        denoise=Span(0.185, 0.252),
        sharpen=Span(0.68, 0.7),
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
