"""Moiré comes from sampling the sub-pixel grid, and from nothing else."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from tiacam.capture import Kind, Strength, apply, draw
from tiacam.capture.display import Display, Layout, subpixel_waves
from tiacam.capture.geometry import Pose, map_surface, project
from tiacam.capture.lattice import Blur, Wave, modulation
from tiacam.capture.photo import Shot

SIDE = 256
FRONTAL = Pose(
    area=1.0,
    overhang=1.0,
    roll=0.0,
    tilt=0.0,
    azimuth=0.0,
    shift_x=0.0,
    shift_y=0.0,
    focal=1.0,
    barrel=0.0,
    curl=0.0,
    curl_across=True,
)


def spectrum(plane: NDArray[np.floating]) -> NDArray[np.float64]:
    window = np.outer(np.hanning(plane.shape[0]), np.hanning(plane.shape[1]))
    return np.abs(np.fft.rfft2((plane - plane.mean()) * window))


@pytest.mark.parametrize("cycles", [0.3, 0.62, 0.9, 1.25])
def test_a_wave_finer_than_the_sensor_shows_at_its_alias(cycles: float) -> None:
    surface = map_surface(project(FRONTAL, (SIDE, SIDE), (SIDE, SIDE)))
    seen = modulation([Wave((cycles * SIDE, 0.0), (1 + 0j,))], surface, Blur(0.2), 1)
    assert seen is not None
    peak = np.unravel_index(np.argmax(spectrum(seen[..., 0])), (SIDE, SIDE // 2 + 1))
    alias = abs(cycles - round(cycles))
    assert peak[0] == 0
    assert peak[1] / SIDE == pytest.approx(alias, abs=1.5 / SIDE)


def test_blur_before_sampling_takes_the_wave_away() -> None:
    surface = map_surface(project(FRONTAL, (SIDE, SIDE), (SIDE, SIDE)))
    wave = [Wave((0.6 * SIDE, 0.0), (1 + 0j,))]
    sharp = modulation(wave, surface, Blur(0.3), 1)
    soft = modulation(wave, surface, Blur(0.8), 1)
    assert sharp is not None
    assert soft is not None
    assert soft.std() < 0.2 * sharp.std()
    assert modulation(wave, surface, Blur(2.0), 1) is None


def shot_of_display(contrast: float, area: float) -> Shot:
    """A display seen square-on by a camera without noise, flicker, glare or processing."""
    drawn = draw(Kind.SCREEN, Strength.MILD, seed=1, long_side=640)
    assert isinstance(drawn, Shot)
    assert isinstance(drawn.medium, Display)
    quiet = replace(
        drawn.camera,
        ratio=1.5,
        defocus=0.35,
        shake=0.0,
        shot_noise=0.0,
        read_noise=0.0,
        denoise=0.0,
        sharpen=0.0,
        portrait=False,
        aspect=4 / 3,
        vignette=0.0,
    )
    dark = replace(drawn.light, highlights=(), sheen=0.0, flicker=0.0, veil=0.0, slope=0.0)
    medium = replace(drawn.medium, contrast=contrast, pixels=900.0, layout=Layout.STRIPE, fill=0.8)
    pose = replace(FRONTAL, area=area, roll=0.05, focal=0.9)
    scene = replace(drawn.scene, fingers=0)
    return replace(
        drawn, pose=pose, camera=quiet, light=dark, medium=medium, scene=scene, files=drawn.files[:1]
    )


def moire_peak(contrast: float, area: float) -> tuple[float, tuple[int, int]]:
    """Strength and place of the strongest coarse pattern in a photo of a grey picture on a display."""
    grey = np.full((300, 400, 3), 128, np.uint8)
    photo = apply(grey, shot_of_display(contrast, area)).photo.astype(np.float64)
    # a window of 216 lines with JPEG blocks of 8 leaves the codec's own frequencies in whole bins
    part = photo[132:348, 212:428]
    found = spectrum(part[..., 0] - part[..., 2])
    found[:2, :2] = 0
    place = np.unravel_index(np.argmax(found), found.shape)
    return float(found.max()), (int(place[0]), int(place[1]))


def test_without_the_grid_there_is_no_moire() -> None:
    with_grid, _ = moire_peak(1.0, 0.55)
    without, _ = moire_peak(0.0, 0.55)
    assert with_grid > 8 * without


def test_moire_moves_with_the_distance() -> None:
    _, near = moire_peak(1.0, 0.62)
    _, far = moire_peak(1.0, 0.55)
    assert near != far


@pytest.mark.parametrize("layout", list(Layout))
def test_sub_pixels_of_a_colour_are_displaced_from_the_others(layout: Layout) -> None:
    drawn = draw(Kind.SCREEN, Strength.TYPICAL, seed=0)
    assert isinstance(drawn, Shot)
    assert isinstance(drawn.medium, Display)
    first = subpixel_waves(replace(drawn.medium, layout=layout, contrast=1.0))[0]
    red, _, blue = first.weights
    assert abs(red) == pytest.approx(abs(blue))
    assert abs(red - blue) > 0.5
