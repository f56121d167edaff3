"""Marks in feature space: their losses by hand, and a mark in a small space within its budget."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from benchmarks.baselines.bits import bits_needed
from benchmarks.baselines.latent.marking import (
    MarkSettings,
    cone_cosine,
    cone_loss,
    hinge_loss,
    keep,
    keyed_directions,
    mark,
    vary,
)
from torch import Tensor, nn

from tiacam.training.metrics import psnr


class LinearSpace(nn.Module):
    """Eight fixed linear features of a small picture."""

    def __init__(self) -> None:
        super().__init__()
        self.matrix = torch.randn(3 * 16 * 16, 8, generator=torch.Generator().manual_seed(1))

    def forward(self, pictures: Tensor) -> Tensor:
        return (pictures - 0.5).flatten(1) @ self.matrix


def covers() -> Tensor:
    return torch.rand(4, 3, 16, 16, generator=torch.Generator().manual_seed(0)) * 0.6 + 0.2


def test_the_hinge_counts_what_is_missing_to_the_margin_on_each_side() -> None:
    features, directions = torch.tensor([[3.0, 4.0]]), torch.eye(2)
    wanted = torch.tensor([[1.0, -1.0]])  # projections 0.6 and 0.8
    assert float(hinge_loss(features, directions, wanted, 1.0)) == pytest.approx(0.4 + 1.8)
    assert float(hinge_loss(features, directions, -wanted, 0.5)) == pytest.approx(1.1 + 0.0)


def test_the_cone_s_loss_is_zero_on_its_surface_and_negative_inside() -> None:
    axis, angle = torch.tensor([[1.0], [0.0]]), math.pi / 6
    on, inside = (torch.tensor([[math.cos(a), math.sin(a)]]) for a in (angle, angle / 2))
    assert float(cone_loss(on, axis, math.cos(angle))) == pytest.approx(0, abs=1e-6)
    assert float(cone_loss(5 * inside, axis, math.cos(angle))) < 0


def test_random_directions_meet_the_cone_at_its_rate() -> None:
    drawn = np.random.default_rng(0).normal(size=(200_000, 12))
    cosines = np.abs(drawn[:, 0]) / np.linalg.norm(drawn, axis=1)
    assert (cosines > cone_cosine(12, 0.01)).mean() == pytest.approx(0.01, rel=0.1)


def test_directions_are_orthonormal_and_follow_from_the_key() -> None:
    directions = keyed_directions(3, 4, 8)
    torch.testing.assert_close(directions.T @ directions, torch.eye(4))
    assert not torch.equal(directions, keyed_directions(4, 4, 8))


@pytest.mark.parametrize("change", [keep, vary])
def test_a_mark_is_read_back_and_keeps_its_psnr(change: object) -> None:
    space, directions = LinearSpace(), keyed_directions(0, 4, 8)
    wanted = torch.tensor([[1.0, -1.0, 1.0, -1.0]]).expand(4, 4)
    marked = mark(
        space,
        covers(),
        lambda features: hinge_loss(features, directions, wanted, 0.2),
        change,  # type: ignore[arg-type]
        MarkSettings(iterations=60, psnr=25.0),
    )
    assert torch.equal((space(marked) @ directions).sign(), wanted)
    assert float(psnr(marked, covers()).min()) >= 24.99


def test_bits_needed_keep_coins_below_the_rate() -> None:
    assert bits_needed(30, 1e-6) == 28  # 466 of 2^30 messages have two wrong bits or fewer, 4,526 have three
    assert bits_needed(10, 1 / 1024) == 10
    assert bits_needed(10, 1e-6) == 11  # even ten right bits happen too often
