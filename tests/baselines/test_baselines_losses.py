"""The losses of the self-supervised baselines: hand-computed values, and a property each."""

from __future__ import annotations

import math

import pytest
import torch
from benchmarks.baselines.ssl import losses
from torch import Tensor

# Four pictures; their two coordinates are standardised already and uncorrelated.
FIRST = torch.tensor([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]])
TURNED = FIRST[:, [1, 0]]  # coordinates exchanged: the views' coordinates are uncorrelated with their own


def noise(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


def test_simclr_of_orthogonal_pictures_is_the_softmax_over_two_strangers() -> None:
    views = torch.eye(2)
    expected = -math.log(math.e / (math.e + 2))  # partner at cosine 1, two strangers at 0, temperature 1
    assert float(losses.simclr_loss(views, views, 1.0)) == pytest.approx(expected)


def test_simclr_does_not_depend_on_the_length_of_a_projection() -> None:
    first, second = noise(8, 4), noise(8, 4, seed=1)
    scaled = losses.simclr_loss(3 * first, 0.2 * second)
    torch.testing.assert_close(scaled, losses.simclr_loss(first, second))


def test_byol_is_two_at_a_right_angle_and_four_when_opposed() -> None:
    x, y = torch.tensor([[1.0, 0.0]]), torch.tensor([[0.0, 2.0]])
    assert [float(losses.byol_loss(x, other)) for other in (x, y, -x)] == pytest.approx([0, 2, 4])


def test_byol_moves_the_prediction_alone_when_the_target_is_fixed() -> None:
    prediction, target = noise(4, 3).requires_grad_(), noise(4, 3, seed=1)
    losses.byol_loss(prediction, target).backward()
    assert prediction.grad is not None
    better = prediction - 0.1 * prediction.grad
    assert losses.byol_loss(better, target) < losses.byol_loss(prediction, target)


def test_barlow_twins_counts_what_is_off_the_diagonal_by_its_weight() -> None:
    assert float(losses.barlow_loss(FIRST, FIRST)) == pytest.approx(0, abs=1e-5)
    # C has zeros on the diagonal and ones beside it: (1 - 0)² twice, and λ · 1² twice
    assert float(losses.barlow_loss(FIRST, TURNED, 0.5)) == pytest.approx(2 + 0.5 * 2, abs=1e-5)


def test_barlow_twins_does_not_depend_on_a_coordinate_s_scale_and_offset() -> None:
    first, second = noise(16, 4), noise(16, 4, seed=1)
    moved = losses.barlow_loss(7 * first + 3, second)
    torch.testing.assert_close(moved, losses.barlow_loss(first, second), rtol=1e-3, atol=1e-3)


def test_vicreg_of_a_collapsed_batch_is_its_variance_term() -> None:
    collapsed = torch.ones(4, 2)
    expected = 25 * (1 - math.sqrt(losses.SMALLEST_VARIANCE))
    assert float(losses.vicreg_loss(collapsed, collapsed)) == pytest.approx(expected)


def test_vicreg_adds_invariance_and_covariance_by_hand() -> None:
    # deviations above 1 cost nothing; the views differ by 2 in half of the entries; no covariance
    assert float(losses.vicreg_loss(FIRST, TURNED)) == pytest.approx(25 * 2.0)
    doubled = FIRST[:, [0, 0]]  # one coordinate twice: covariance 4/3 beside the diagonal, in both views
    assert float(losses.vicreg_loss(doubled, doubled)) == pytest.approx(2 * 2 * (4 / 3) ** 2 / 2)


def test_vibcreg_weighs_a_repeated_coordinate_by_its_correlation_whatever_its_scale() -> None:
    for scale in (2.0, 5.0):
        doubled = scale * FIRST[:, [0, 0]]
        assert float(losses.vibcreg_loss(doubled, doubled)) == pytest.approx(200.0, rel=1e-4)


def test_vibcreg_is_zero_for_equal_views_without_correlation() -> None:
    assert float(losses.vibcreg_loss(2 * FIRST, 2 * FIRST)) == pytest.approx(0, abs=1e-4)


def test_iterative_whitening_leaves_each_group_uncorrelated_with_deviation_one() -> None:
    mixed = noise(4096, 8) @ (torch.eye(8) + 0.3 * noise(8, 8, seed=2))
    white = losses.whiten_iteratively(mixed, group=4, iterations=12)
    for group in white.split(4, dim=1):
        torch.testing.assert_close(losses.covariance_of(group), torch.eye(4), atol=0.02, rtol=0)
