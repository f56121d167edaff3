"""Ink on paper."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from tiacam.capture import Kind, Strength, draw
from tiacam.capture.geometry import Pose, map_surface, project
from tiacam.capture.lattice import Blur, modulation
from tiacam.capture.paper import Print, dotted, reflect, screen_waves, separate
from tiacam.capture.photo import Shot


@pytest.fixture
def sheet() -> Print:
    drawn = draw(Kind.PRINT, Strength.MILD, seed=0)
    assert isinstance(drawn, Shot)
    assert isinstance(drawn.medium, Print)
    return replace(drawn.medium, gain=0.0, fade=0.0, dpi=2400.0, lpi=150.0, paper=(0.9, 0.9, 0.9))


def solid(*colour: int) -> NDArray[np.uint8]:
    return np.full((8, 8, 3), colour, np.uint8)


def printed(sheet: Print, *colour: int) -> NDArray[np.float64]:
    return reflect(separate(solid(*colour), sheet), sheet).mean(axis=(0, 1)).astype(np.float64)


def test_white_is_the_paper_and_black_is_nearly_none(sheet: Print) -> None:
    assert printed(sheet, 255, 255, 255) == pytest.approx(sheet.paper, abs=0.01)
    assert printed(sheet, 0, 0, 0).max() < 0.05


def test_inks_cannot_print_a_pure_screen_green(sheet: Print) -> None:
    red, green, blue = printed(sheet, 0, 255, 0)
    assert green == max(red, green, blue)
    assert green < 0.5
    assert blue > 0.01


def test_dot_gain_darkens_the_middle(sheet: Print) -> None:
    grown = replace(sheet, gain=0.2)
    assert printed(grown, 150, 150, 150).mean() < 0.8 * printed(sheet, 150, 150, 150).mean()
    assert printed(grown, 255, 255, 255) == pytest.approx(printed(sheet, 255, 255, 255))


def test_fading_brightens_the_print(sheet: Print) -> None:
    assert printed(replace(sheet, fade=0.4), 30, 60, 90).mean() > printed(sheet, 30, 60, 90).mean()


def test_dots_show_up_close_and_vanish_from_afar(sheet: Print) -> None:
    coarse = replace(sheet, inches=2.0, lpi=60.0)
    pose = Pose(0.9, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, True)
    near, far = (map_surface(project(pose, (1, 1), (side, side))) for side in (480, 96))
    assert modulation(screen_waves(coarse), far, Blur(0.8), 4) is None
    dots = modulation(screen_waves(coarse), near, Blur(0.8), 4)
    assert dots is not None
    assert dots.std(axis=(0, 1)).min() > 0.02


def test_solid_ink_and_blank_paper_have_no_dots() -> None:
    dots = np.random.default_rng(0).normal(0, 0.3, (8, 8, 4)).astype(np.float32)
    for level in (0.0, 1.0):
        coverage = np.full((8, 8, 4), level, np.float32)
        assert dotted(coverage, dots) == pytest.approx(coverage, abs=1e-6)
