"""The real distortions: where the closed forms should hold, both sides agree; beyond that, properties."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest
import torch

from tiacam.augment import (
    Additive,
    AdditiveParams,
    Compression,
    CompressionParams,
    Filtering,
    FilteringParams,
    Moire,
    MoireParams,
    Params,
    Perspective,
    PerspectiveParams,
    Photometric,
    PhotometricParams,
)
from tiacam.augment.filtering import motion_kernel
from tiacam.training.pairs import draw_widely, make_targets, to_planes
from tiacam.training.targets.additive import structured_noise
from tiacam.training.targets.filtering import lens_kernel, trail_kernel
from tiacam.training.targets.photometric import light_field

from .pictures import small_pictures

COUNT = 6


def draw(module: Any, **fixed: float) -> Any:
    """A draw from the whole limits with some quantities fixed for all pictures."""
    params = draw_widely(module, (COUNT, 3, 64, 64), torch.Generator().manual_seed(0))
    return replace(
        params, **{name: torch.full_like(getattr(params, name), value) for name, value in fixed.items()}
    )


def difference(module: Any, params: Params) -> torch.Tensor:
    """Mean absolute difference between operator and real distortion for each picture."""
    pixels = small_pictures(COUNT)
    with torch.no_grad():
        output = module(to_planes(pixels) / 255, params)
    return (output - to_planes(make_targets(module.name, pixels, params)) / 255).abs().flatten(1).mean(1)


def test_without_lens_distortion_the_view_is_the_operator_s() -> None:
    params: PerspectiveParams = draw(Perspective(), lens=0.0)
    assert difference(Perspective(), params).max() < 0.01


def test_in_even_light_the_rendering_is_the_operator_s() -> None:
    params: PhotometricParams = draw(Photometric(), vignette=0.0, slope_x=0.0, slope_y=0.0, spot=0.0)
    assert difference(Photometric(), params).max() < 1 / 255


def test_without_a_pattern_the_noise_is_the_operator_s() -> None:
    params: AdditiveParams = draw(Additive(), pattern=0.0)
    assert difference(Additive(), params).max() < 3 / 255  # impulses are whole here and nearly whole there


def test_the_trail_of_spots_is_the_operator_s_kernel() -> None:
    params: FilteringParams = draw(Filtering())
    closed = motion_kernel(params.focus, params.motion, params.direction)
    for row in range(COUNT):
        summed = trail_kernel(
            *(float(value[row]) for value in (params.focus, params.motion, params.direction))
        )
        assert np.abs(closed[row].numpy() - summed).max() < 0.02


def test_saving_as_jpeg_is_nearly_the_operator() -> None:
    params: CompressionParams = draw(Compression(), webp=0.0)
    assert difference(Compression(), params).max() < 0.01


def test_faint_fringes_on_grey_are_nearly_the_printed_wave() -> None:
    params: MoireParams = draw(Moire(), amplitude=0.02, bend=0.0)
    grey = np.full((COUNT, 64, 64, 3), 128, np.uint8)
    target = to_planes(make_targets("moire", grey, params)) / 255 - 128 / 255
    wave = Moire()(torch.full((COUNT, 3, 64, 64), 0.5), params) - 0.5
    alike = torch.nn.functional.cosine_similarity(target.flatten(1), wave.flatten(1))
    assert alike.min() > 0.9


def test_fringes_leave_black_alone() -> None:
    params: MoireParams = draw(Moire(), amplitude=0.2)
    assert make_targets("moire", np.zeros((COUNT, 64, 64, 3), np.uint8), params).max() == 0


def test_the_lens_spreads_light_without_loss() -> None:
    for seed in range(10):
        aberration = np.random.default_rng(seed).uniform(-1, 1, 5).astype(np.float32)
        aberration[0] = abs(aberration[0])
        kernel = lens_kernel(aberration)
        assert kernel.sum() == pytest.approx(1, abs=1e-5)
        assert kernel.min() >= 0
    assert lens_kernel(np.zeros(5, np.float32))[1, 1] > 0.7


def test_structured_noise_stays_inside_one_and_follows_the_picture_s_size() -> None:
    latent = np.random.default_rng(0).standard_normal(512).astype(np.float32)
    assert structured_noise(latent, 128, 128).shape == (128, 128, 3)
    assert np.abs(structured_noise(latent, 40, 56)).max() <= 1
    assert structured_noise(latent, 40, 56).shape == (40, 56, 3)


def test_light_is_within_what_the_network_may_say() -> None:
    params: PhotometricParams = draw(Photometric(), vignette=0.5, slope_x=0.2, slope_y=0.2, spot=0.4)
    drawn = {field.name: getattr(params, field.name).numpy() for field in fields(params)}
    field = light_field(drawn, 64, 64)
    assert field.min() > 0
    assert field.max() < 2
