"""Where the picture lands in the photo."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from tiacam.capture.geometry import Pose, map_surface, project, quadrilateral_area

FLAT = Pose(
    area=0.4,
    overhang=1.0,
    roll=0.3,
    tilt=0.5,
    azimuth=1.0,
    shift_x=0.05,
    shift_y=-0.03,
    focal=0.9,
    barrel=0.0,
    curl=0.0,
    curl_across=True,
)
POSES = {
    "flat": FLAT,
    "through a lens": replace(FLAT, barrel=0.08),
    "curled": replace(FLAT, curl=0.6),
    "curled the other way": replace(FLAT, curl=-0.4, curl_across=False),
    "both": replace(FLAT, curl=0.5, barrel=0.05),
}
FRAME = (640, 480)


@pytest.mark.parametrize("pose", POSES.values(), ids=POSES.keys())
def test_a_surface_point_comes_back_from_the_photo(pose: Pose) -> None:
    projection = project(pose, (300, 200), FRAME)
    grid = np.stack(np.meshgrid(np.linspace(-0.5, 0.5, 7), np.linspace(-0.3, 0.3, 5)), axis=-1).reshape(-1, 2)
    assert np.abs(projection.to_surface(projection.to_photo(grid)) - grid).max() < 1e-4


@pytest.mark.parametrize("pose", POSES.values(), ids=POSES.keys())
def test_the_picture_covers_the_area_asked_for(pose: Pose) -> None:
    covered = quadrilateral_area(project(pose, (300, 200), FRAME).corners()) / (FRAME[0] * FRAME[1])
    assert covered == pytest.approx(pose.area, rel=0.02)


@pytest.mark.parametrize("pose", POSES.values(), ids=POSES.keys())
def test_the_dense_map_agrees_with_the_exact_one(pose: Pose) -> None:
    projection = project(pose, (300, 200), FRAME)
    dense = map_surface(projection)
    for row, column in ((0, 0), (100, 333), (479, 639), (7, 8)):
        exact = projection.to_surface(np.array([[column + 0.5, row + 0.5]]))[0]
        assert (dense.x[row, column], dense.y[row, column]) == pytest.approx(tuple(exact), abs=2e-4)


def test_a_part_of_the_map_is_the_part_of_the_whole() -> None:
    dense = map_surface(project(FLAT, (300, 200), FRAME))
    rows, columns = slice(37, 201), slice(90, 411)
    part = dense.cut(rows, columns)
    ramp = dense.coarse[..., 0]
    assert np.array_equal(part.x, dense.x[rows, columns])
    assert np.allclose(part.refine(ramp), dense.refine(ramp)[rows, columns])
    assert np.allclose(part.refine(ramp), part.x, atol=1e-5)


def test_roll_turns_the_picture_clockwise() -> None:
    upright = replace(FLAT, roll=math.pi / 2, tilt=0.0, shift_x=0.0, shift_y=0.0)
    top_left, top_right, _, _ = project(upright, (300, 200), FRAME).corners()
    assert top_right[1] > top_left[1]
    assert top_right[0] == pytest.approx(top_left[0])


def test_curl_bends_the_edges_between_the_corners() -> None:
    edge = np.array([[-0.5, -1 / 3], [0.0, -1 / 3], [0.5, -1 / 3]])
    bows = []
    for curl in (0.0, 0.7):
        left, middle, right = project(replace(FLAT, curl=curl), (300, 200), FRAME).to_photo(edge)
        along = (right - left) / np.linalg.norm(right - left)
        bows.append(abs(float(np.cross([*along, 0], [*(middle - left), 0])[2])))
    assert bows[0] < 1e-6
    assert bows[1] > 2


def test_the_camera_steps_back_until_the_picture_fits() -> None:
    close = replace(FLAT, area=0.9, overhang=0.0)
    corners = project(close, (300, 200), FRAME).corners()
    assert corners.min() >= 0
    assert (corners <= np.array(FRAME)).all()
