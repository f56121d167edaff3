"""Sensor, processing and files."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from tiacam.capture import Kind, Strength, draw
from tiacam.capture.codec import MEDIA_TYPES, SUFFIXES, File, decode, encode
from tiacam.capture.geometry import project
from tiacam.capture.hand import fingers
from tiacam.capture.light import Highlight, flicker_bands, glare, illumination
from tiacam.capture.photo import Shot
from tiacam.capture.sensor import Camera, Incoming, develop, expose, shake_kernel
from tiacam.capture.spans import Span, pick

WHITE = np.ones(3, np.float32)


def quiet(**changes: object) -> Camera:
    drawn = draw(Kind.PRINT, Strength.TYPICAL, seed=0, long_side=96)
    assert isinstance(drawn, Shot)
    neutral = replace(
        drawn.camera,
        aspect=4 / 3,
        portrait=False,
        ratio=2.0,
        spare=1.0,
        vignette=0.0,
        shot_noise=0.0,
        read_noise=0.0,
        balance=1.0,
        grey_world=0.0,
        tint=(0.0, 0.0),
        crush=(0.0, 0.0, 0.0),
        saturation=1.0,
        contrast=0.0,
        lift=0.0,
        denoise=0.0,
        sharpen=0.0,
    )
    return replace(neutral, **changes)  # type: ignore[arg-type]


def incoming(camera: Camera, level: float = 0.3, room: NDArray[np.float32] = WHITE) -> Incoming:
    width, height = camera.sensor_frame
    blank = np.zeros((height, width), np.float32)
    return Incoming(np.full((height, width, 3), level, np.float32), blank + 1, blank, room, WHITE, 0.0)


def photo_of(camera: Camera, room: NDArray[np.float32] = WHITE) -> NDArray[np.uint8]:
    return develop(expose(incoming(camera, room=room), camera), camera, room)


def test_automatic_exposure_reaches_its_aim_whatever_the_light() -> None:
    camera = quiet(exposure=0.2)
    raws = [expose(incoming(camera, level), camera).mean() / 16383 for level in (0.01, 0.3, 5.0)]
    assert raws == pytest.approx([0.2, 0.2, 0.2], rel=0.01)


def test_white_balance_takes_the_colour_of_the_light_out() -> None:
    lamp = np.array([1.4, 1.0, 0.5], np.float32)
    balanced = photo_of(quiet(), lamp).astype(int).mean(axis=(0, 1))
    left = photo_of(quiet(balance=0.0), lamp).astype(int).mean(axis=(0, 1))
    assert np.ptp(balanced) < 3
    assert left[0] > left[1] + 15 > left[2] + 30


def test_noise_grows_with_the_square_root_of_light() -> None:
    dim, bright = (quiet(shot_noise=0.001, exposure=aim) for aim in (0.05, 0.4))
    spread = [expose(incoming(camera), camera).astype(float).std() for camera in (dim, bright)]
    assert spread[1] / spread[0] == pytest.approx(np.sqrt(8), rel=0.05)


def test_noise_replays_from_the_seed() -> None:
    camera = quiet(shot_noise=0.002)
    assert np.array_equal(photo_of(camera), photo_of(camera))
    assert not np.array_equal(photo_of(camera), photo_of(replace(camera, seed=camera.seed + 1)))


def test_denoising_removes_noise() -> None:
    noisy, cleaned = (photo_of(quiet(shot_noise=0.004, denoise=amount)) for amount in (0.0, 0.6))
    assert cleaned.astype(float).std() < 0.7 * noisy.astype(float).std()


def test_vignetting_darkens_the_corners() -> None:
    photo = photo_of(quiet(vignette=0.5)).astype(int)
    assert photo[0, 0].mean() < photo[36, 48].mean() - 20


def test_shaking_leaves_the_brightness_alone() -> None:
    kernel = shake_kernel(quiet(shake=9.0, shake_angle=0.7))
    assert kernel is not None
    assert kernel.sum() == pytest.approx(1.0)
    assert shake_kernel(quiet(shake=0.4)) is None


def test_flicker_is_the_same_across_a_row_and_averages_out() -> None:
    drawn = draw(Kind.SCREEN, Strength.SEVERE, seed=3)
    assert isinstance(drawn, Shot)
    bands = flicker_bands(replace(drawn.light, flicker=0.3, bands=4.0), 400)
    assert bands.max() > 1.25
    assert bands.mean() == pytest.approx(1.0, abs=0.01)


def test_a_highlight_is_brightest_where_it_is_put() -> None:
    drawn = draw(Kind.PRINT, Strength.TYPICAL, seed=0)
    assert isinstance(drawn, Shot)
    lamp = Highlight(0.2, -0.1, 0.05, 0.05, 0.0, 2.0, 0.2, 0.0, False)
    field = glare(replace(drawn.light, highlights=(lamp,), sheen=0.0), (400, 300))
    row, column = np.unravel_index(np.argmax(field), field.shape)
    assert (column, row) == pytest.approx((280, 110), abs=20)
    assert illumination(drawn.light, (400, 300)).min() > 0


def test_fingers_reach_into_the_picture() -> None:
    drawn = draw(Kind.PRINT, Strength.TYPICAL, seed=0, long_side=480)
    assert isinstance(drawn, Shot)
    projection = project(drawn.pose, (300, 200), (480, 360))
    hand = fingers(projection, 2, seed=1)
    assert hand is not None
    assert hand[0].max() > 0.9
    assert fingers(projection, 0, seed=1) is None


@pytest.mark.parametrize("kind", ["JPEG", "WEBP", "HEIF", "AVIF", "PNG"])
def test_every_file_format_is_written_and_read(picture: NDArray[np.uint8], kind: str) -> None:
    coded = encode(picture, File(kind, 80))
    assert np.abs(decode(coded).astype(int) - picture).mean() < 6
    assert encode(picture, File(kind, 80)) == coded
    assert SUFFIXES[MEDIA_TYPES[kind]]


def test_a_span_is_never_empty() -> None:
    with pytest.raises(ValueError, match="empty"):
        Span(2, 1)


def test_a_choice_follows_its_weights() -> None:
    rng = np.random.default_rng(0)
    drawn = [pick(rng, "abc", (1, 0, 3)) for _ in range(400)]
    assert drawn.count("b") == 0
    assert 2 < drawn.count("c") / drawn.count("a") < 4.5
