"""A phone's camera behind the lens: sensor, colour filter, noise, and what its processor does to the raw picture."""

from __future__ import annotations

import math
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from tiacam.capture.colour import STEPS, srgb
from tiacam.capture.kinds import Field, Pixels

FULL_WELL_CODE = 16383  # codes of the raw picture, 14 bits
RGB_SITES = ((0, 0), (0, 1), (1, 1))
BAYER = ((0, 0, 0), (0, 1, 1), (1, 0, 1), (1, 1, 2))  # row, column and colour of the filter's four sites


@dataclass(frozen=True)
class Camera:
    """One camera at one exposure."""

    long_side: int  # of the photo, in pixels
    aspect: float  # longer side by shorter side
    portrait: bool
    ratio: float  # sensor pixels a photo pixel, each way
    defocus: float  # deviation of the lens's point spread, in sensor pixels
    shake: float  # length of the motion blur, in sensor pixels
    shake_angle: float
    vignette: float  # light lost at the frame's corner
    exposure: float  # mean that automatic exposure aims at, of full scale
    spare: float  # most that the 90th percentile is exposed to, so that highlights survive
    shot_noise: float  # variance of the noise at full scale
    read_noise: float  # deviation of the noise in the dark
    balance: float  # how completely the light's colour is taken out, 1 fully
    grey_world: float  # how far the mean colour of the scene is pulled towards grey
    tint: tuple[float, float]  # error of the balance left in red and blue
    crush: tuple[float, float, float]  # black point taken off red, green and blue
    saturation: float
    contrast: float  # 0 plain sRGB, 1 a strong S-curve
    shoulder: float  # how far bright tones are rolled off, 0 clips them
    lift: float  # level of black
    denoise: float  # 0 none to 1 smeared
    sharpen: float
    seed: int

    @property
    def frame(self) -> tuple[int, int]:
        """Width and height of the photo."""
        short = round(self.long_side / self.aspect)
        return (short, self.long_side) if self.portrait else (self.long_side, short)

    @property
    def sensor_frame(self) -> tuple[int, int]:
        """Width and height of the sensor, even because of the colour filter."""
        width, height = (2 * round(side * self.ratio / 2) for side in self.frame)
        return width, height


@dataclass(frozen=True, eq=False)
class Incoming:
    """Light on the sensor, before the colour filter and the exposure."""

    colours: Field  # (H, W, 3) what the scene gives back of white light, blurred by the lens
    strength: Field  # (H, W) the light that falls there
    mirrored: Field  # (H, W) what glossy surfaces add
    room_colour: NDArray[np.float32]  # (3,) of the light that falls
    mirror_colour: NDArray[np.float32]  # (3,) of the light that is mirrored
    veil: float  # share of everything that the lens scatters over the frame


def expose(incoming: Incoming, camera: Camera) -> NDArray[np.uint16]:
    """The raw picture behind a Bayer filter (H, W)."""
    raw = _mosaic(incoming)
    raw += np.float32(incoming.veil * raw[::16, 1::16].mean())
    raw *= _vignetting(camera)
    raw *= np.float32(_metered_gain(raw, camera) / _gains(raw, camera, incoming.room_colour)[1])
    return _read_out(raw, camera)


def _read_out(raw: Field, camera: Camera) -> NDArray[np.uint16]:
    """Shot and read noise, then whole numbers up to the full well."""
    noise = np.random.default_rng(camera.seed).standard_normal(raw.shape, dtype=np.float32)
    noise *= np.sqrt(np.maximum(raw, 0) * np.float32(camera.shot_noise) + np.float32(camera.read_noise**2))
    noise += raw
    noise *= FULL_WELL_CODE
    return np.asarray(np.clip(noise, 0, FULL_WELL_CODE, out=noise), np.uint16)


def develop(raw: NDArray[np.uint16], camera: Camera, room_colour: NDArray[np.float32]) -> Pixels:
    """The raw picture to the photo that the phone shows: demosaiced, balanced, toned, cleaned, sharpened."""
    colour = cv2.demosaicing(raw, cv2.COLOR_BayerRGGB2RGB)
    light = cv2.resize(colour, camera.frame, interpolation=cv2.INTER_AREA).astype(np.float32)
    balanced = np.minimum(light * _gains(raw, camera, room_colour), FULL_WELL_CODE)
    balanced -= np.array(camera.crush, np.float32) * FULL_WELL_CODE
    corrected = cv2.transform(balanced, _colour_matrix(camera) * (STEPS / FULL_WELL_CODE))
    toned = cv2.LUT(np.clip(corrected, 0, STEPS).astype(np.uint16), _tone_table(camera))
    return _sharpened(_cleaned(np.asarray(toned, np.uint8), camera), camera)


def _mosaic(incoming: Incoming) -> Field:
    """One colour a site: red at even rows and columns, blue at odd, green between."""
    raw = np.empty(incoming.strength.shape, np.float32)
    for row, column, colour in BAYER:
        site = np.s_[row::2, column::2]
        raw[site] = incoming.colours[row::2, column::2, colour] * incoming.strength[site]
        raw[site] *= incoming.room_colour[colour]
        raw[site] += incoming.mirrored[site] * incoming.mirror_colour[colour]
    return raw


def _metered_gain(raw: Field, camera: Camera) -> float:
    """Automatic exposure: the mean to its aim, unless that would blow out more than small highlights."""
    green = raw[::8, 1::8]
    mean = float(np.minimum(green, 4 * np.median(green) + 1e-3).mean()) + 1e-4
    bright = float(np.percentile(green, 90)) + 1e-4
    return min(camera.exposure / mean, camera.spare / bright)


def _vignetting(camera: Camera) -> Field:
    width, height = camera.sensor_frame
    x = np.linspace(-1, 1, width, dtype=np.float32) ** 2 * np.float32(width**2)
    y = np.linspace(-1, 1, height, dtype=np.float32) ** 2 * np.float32(height**2)
    radius = (x[None, :] + y[:, None]) / np.float32(width**2 + height**2)
    return np.asarray(1 - np.float32(camera.vignette) * radius, np.float32)


def _gains(raw: NDArray[np.generic], camera: Camera, room_colour: NDArray[np.float32]) -> NDArray[np.float32]:
    """White balance: the light's colour taken out as far as the camera guesses it, then the scene's mean colour.

    No gain is under 1, so that what is overexposed comes out white.
    """
    errors = np.array([1 + camera.tint[0], 1.0, 1 + camera.tint[1]])
    red, green, blue = (float(raw[row::16, column::16].mean()) + 1e-6 for row, column in RGB_SITES)
    scene = np.array([red, green, blue]) / green / room_colour
    gains = room_colour.astype(np.float64) ** -camera.balance * scene**-camera.grey_world * errors
    return np.asarray(gains / gains.min(), np.float32)


def _colour_matrix(camera: Camera) -> NDArray[np.float64]:
    """More or less saturation around luminance."""
    weights = np.array([0.2126, 0.7152, 0.0722])
    return camera.saturation * np.eye(3) + (1 - camera.saturation) * np.tile(weights, (3, 1))


def _tone_table(camera: Camera) -> NDArray[np.uint8]:
    """16-bit linear light to bytes: bright tones rolled off, sRGB, then an S-curve, then the level of black."""
    light = np.arange(STEPS + 1) / STEPS
    coded = srgb((1 + camera.shoulder) * light / (1 + camera.shoulder * light))
    shoulder = np.where(coded < 0.5, 1.0, 0.7)  # cameras spare the highlights
    curved = coded + camera.contrast * 0.5 * shoulder * (coded - 0.5) * np.sin(np.pi * coded)
    steep = np.clip(curved, 0, 1)
    return np.asarray(np.round(255 * (camera.lift + (1 - camera.lift) * steep)), np.uint8)


def _cleaned(photo: Pixels, camera: Camera) -> Pixels:
    """Noise reduction: colour noise smeared widely, brightness smoothed where it is flat."""
    if camera.denoise < 0.02:
        return photo
    luma, *chroma = cv2.split(cv2.cvtColor(photo, cv2.COLOR_RGB2YCrCb))
    luma = cv2.bilateralFilter(luma, 5, 4 + 30 * camera.denoise, 0.8 + 1.2 * camera.denoise)
    smeared = [cv2.GaussianBlur(plane, (0, 0), 0.8 + 3.0 * camera.denoise) for plane in chroma]
    return np.asarray(cv2.cvtColor(cv2.merge([luma, *smeared]), cv2.COLOR_YCrCb2RGB), np.uint8)


def _sharpened(photo: Pixels, camera: Camera) -> Pixels:
    if camera.sharpen < 0.02:
        return photo
    soft = cv2.GaussianBlur(photo, (0, 0), 1.3)
    return np.asarray(cv2.addWeighted(photo, 1 + camera.sharpen, soft, -camera.sharpen, 0), np.uint8)


def shake_kernel(camera: Camera) -> NDArray[np.float32] | None:
    """The path of the hand's motion during the exposure as a filter; None if it is under a pixel."""
    if camera.shake < 1.0:
        return None
    side = 2 * math.ceil(camera.shake / 2) + 1
    x, y = (camera.shake / 2 * f(camera.shake_angle) for f in (math.cos, math.sin))
    grid = np.arange(side) - side // 2
    across, down = np.meshgrid(grid, grid)
    steps = np.linspace(-1, 1, 4 * side)[:, None, None]
    weight = np.maximum(0, 1 - np.abs(across - steps * x)) * np.maximum(0, 1 - np.abs(down - steps * y))
    kernel = weight.sum(axis=0)
    return np.asarray(kernel / kernel.sum(), np.float32)
