"""The losses of the backbone: hand-computed values, and a property each."""

from __future__ import annotations

import math

import torch
from torch.nn import functional

from tiacam.training.contrast import (
    apart_loss,
    caption_loss,
    instance_loss,
    invariance_loss,
    redundancy_loss,
    spreading_loss,
)


def unit(rows: int, width: int, seed: int = 0) -> torch.Tensor:
    return functional.normalize(torch.randn(rows, width, generator=torch.Generator().manual_seed(seed)))


def test_the_instance_loss_of_two_orthogonal_pictures_is_what_the_formula_says() -> None:
    clean = torch.eye(2)
    # each row: its partner at cosine 1, two others at cosine 0, itself left out
    expected = -math.log(math.exp(2) / (math.exp(2) + 2))
    assert math.isclose(float(instance_loss(clean, clean, temperature=0.5)), expected, rel_tol=1e-6)


def test_the_instance_loss_falls_when_captures_come_nearer_to_their_pictures() -> None:
    clean, noise = unit(16, 32), unit(16, 32, seed=1)
    near, far = (functional.normalize(clean + weight * noise) for weight in (0.1, 1.0))
    assert instance_loss(clean, near, 0.1) < instance_loss(clean, far, 0.1)


def test_the_invariance_loss_is_one_minus_the_cosine() -> None:
    angle = math.radians(60)
    captured = torch.tensor([[math.cos(angle), math.sin(angle)]])
    assert math.isclose(float(invariance_loss(torch.tensor([[1.0, 0.0]]), captured)), 0.5, rel_tol=1e-6)


def test_the_spreading_loss_is_minus_the_log_distance_to_the_nearest() -> None:
    assert math.isclose(float(spreading_loss(torch.eye(3))), -math.log(math.sqrt(2)), rel_tol=1e-5)


def test_spread_features_have_less_spreading_loss_than_crowded_ones() -> None:
    crowded = functional.normalize(torch.ones(8, 16) + 0.1 * unit(8, 16))
    assert spreading_loss(unit(8, 16)) < spreading_loss(crowded)


def test_the_apart_loss_counts_what_others_have_beyond_the_margin_and_never_the_own_capture() -> None:
    clean = torch.tensor([[1.0, 0.0], [0.8, 0.6]])
    captured = torch.tensor([[1.0, 0.0], [0.0, 1.0]])
    # others of the first: 0.8 and 0.0; of the second: 0.8 and 0.8
    expected = ((0.8 - 0.5) ** 2 * 3) / 2
    assert math.isclose(float(apart_loss(clean, captured, margin=0.5)), expected, rel_tol=1e-5)


def test_pictures_within_the_margin_cost_nothing_however_far_their_captures_are() -> None:
    assert float(apart_loss(torch.eye(4), 0.1 * torch.eye(4), margin=0.2)) == 0.0


def test_the_caption_loss_of_perfect_pairs_is_what_the_formula_says() -> None:
    scale = torch.tensor(3.0)
    expected = -math.log(math.exp(3) / (math.exp(3) + 1))
    assert math.isclose(float(caption_loss(torch.eye(2), torch.eye(2), scale)), expected, rel_tol=1e-6)


def test_swapped_captions_cost_more() -> None:
    images, scale = unit(4, 8), torch.tensor(10.0)
    assert caption_loss(images, images, scale) < caption_loss(images, images.flip(0), scale)


def test_the_redundancy_loss_of_equal_independent_axes_is_zero_and_of_a_copied_axis_is_not() -> None:
    axes = torch.tensor([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]])
    grown = axes * math.sqrt(8 / 7)  # the deviation over both views counts one sample less
    assert redundancy_loss(axes, axes, 1.0) < 0.04
    copied = grown[:, :1].expand(-1, 2)
    # each diagonal entry 7/8 off by 1/8, each of two off-diagonal entries 7/8, over two axes
    assert abs(redundancy_loss(copied, copied, 1.0).item() - ((1 / 8) ** 2 + (7 / 8) ** 2)) < 1e-4


def test_the_redundancy_loss_falls_when_the_views_agree_more() -> None:
    clean, other = unit(64, 8), unit(64, 8, seed=1)
    assert redundancy_loss(clean, clean + 0.1 * other, 0.1) < redundancy_loss(clean, clean + other, 0.1)
