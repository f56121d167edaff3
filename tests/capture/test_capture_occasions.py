"""Occasions: what goes together is drawn together, within what the strength allows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tiacam.capture import Kind, Strength, apply, draw
from tiacam.capture.light import Intruder, draw_light, intrusion
from tiacam.capture.occasions import OCCASIONS, Occasion, draw_occasion
from tiacam.capture.phones import PHONES
from tiacam.capture.photo import Shot
from tiacam.capture.poses import POSES, draw_pose
from tiacam.capture.sensor import FULL_WELL_CODE, Camera, develop
from tiacam.capture.spans import Span, happens
from tiacam.capture.textures import DESKS


@pytest.mark.parametrize("occasion", OCCASIONS.values(), ids=OCCASIONS.keys())
def test_an_occasion_names_a_camera_and_weighs_every_desk(occasion: Occasion) -> None:
    assert occasion.phone in PHONES
    assert len(occasion.desks) == len(DESKS)
    for name in ("area", "tilt", "warmth", "lamp", "sheen", "gloss", "clutter"):
        part = getattr(occasion, name)
        assert 0 <= part.low <= part.high <= 1


@pytest.mark.parametrize("strength", list(Strength))
@pytest.mark.parametrize("occasion", OCCASIONS.values(), ids=OCCASIONS.keys())
def test_no_occasion_leaves_the_ranges_of_its_strength(occasion: Occasion, strength: Strength) -> None:
    rng = np.random.default_rng(0)
    poses = [draw_pose(Kind.PRINT, strength, occasion, rng) for _ in range(50)]
    ranges = POSES[strength]
    assert all(ranges.area.low <= pose.area <= ranges.area.high for pose in poses)
    assert all(ranges.tilt.low <= np.degrees(pose.tilt) <= ranges.tilt.high + 1e-9 for pose in poses)


def test_a_part_of_a_span_lies_inside_it() -> None:
    assert Span(2, 6).part(Span(0.25, 0.5)) == Span(3, 4)


def test_luck_decides_what_has_a_probability() -> None:
    rng = np.random.default_rng(0)
    assert all(happens(rng, 0.5, Span(0, 0.5)) for _ in range(50))
    assert not any(happens(rng, 0.5, Span(0.5, 1)) for _ in range(50))


def test_displays_are_mostly_photographed_with_recent_phones() -> None:
    rng = np.random.default_rng(0)
    recent = {
        kind: np.mean([draw_occasion(kind, rng).phone == "recent phone" for _ in range(400)])
        for kind in (Kind.SCREEN, Kind.PRINT)
    }
    assert recent[Kind.SCREEN] > 0.5 > 0.1 > recent[Kind.PRINT]


def test_a_shoulder_brightens_the_middle_and_keeps_white() -> None:
    drawn = draw(Kind.PRINT, Strength.TYPICAL, seed=0, long_side=96)
    assert isinstance(drawn, Shot)
    hard, soft = (replace(drawn.camera, shoulder=amount) for amount in (0.0, 1.0))
    assert _level(soft, 0.3) > _level(hard, 0.3) + 10
    assert _level(soft, 1.0) == _level(hard, 1.0)


def test_something_close_to_the_lens_is_met_on_some_occasions_and_never_mildly() -> None:
    rng = np.random.default_rng(0)
    met = {
        (name, strength): np.mean(
            [draw_light(Kind.PRINT, strength, OCCASIONS[name], rng).intruder is not None for _ in range(200)]
        )
        for name in ("evening lamp", "bright office")
        for strength in (Strength.MILD, Strength.TYPICAL)
    }
    assert met.pop(("evening lamp", Strength.TYPICAL)) > 0.4
    assert not any(met.values())


def test_what_is_close_to_the_lens_hides_the_picture_behind_it() -> None:
    drawn = draw(Kind.PRINT, Strength.TYPICAL, seed=0, long_side=96)
    assert isinstance(drawn, Shot)
    near = Intruder(reach=0.5, angle=np.pi, bulge=0.0, softness=0.01, level=2.0)
    free, hidden = (
        apply(np.full((64, 64, 3), 90, np.uint8), replace(drawn, light=replace(drawn.light, intruder=i)))
        for i in (None, near)
    )
    cover = intrusion(replace(drawn.light, intruder=near), (96, 72))
    assert cover is not None
    assert cover[:, 0].min() > 0.99 > 0.01 > cover[:, -1].max()
    half = free.photo.shape[1] // 2
    assert hidden.photo[:, : half - 8].mean() > free.photo[:, : half - 8].mean() + 20
    assert free.mask.sum() > hidden.mask.sum()
    assert not hidden.mask[:, : half - 8].any()


def _level(camera: Camera, light: float) -> float:
    """Mean of the photo of an even sheet that fills this much of the sensor's wells."""
    width, height = camera.sensor_frame
    raw = np.full((height, width), round(light * FULL_WELL_CODE), np.uint16)
    return float(develop(raw, camera, np.ones(3, np.float32)).mean())
