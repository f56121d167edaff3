"""The locator's losses, against values worked out by hand."""

from __future__ import annotations

import math

import pytest
import torch
from torch import Tensor

from tiacam.features.locator import CellOutputs
from tiacam.training.locator_losses import (
    CellTargets,
    corner_error,
    corner_loss,
    match_turn,
    orientation_loss,
    presence_loss,
    rolled,
)

SQUARE = torch.tensor([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])


def one_cell(corners: Tensor, spread: float = 1.0) -> CellOutputs:
    return CellOutputs(
        presence=torch.zeros(1, 1, 1),
        corners=corners.reshape(1, 1, 1, 4, 2),
        log_spread=torch.full((1, 1, 1, 4), math.log(spread)),
        orientation=torch.zeros(1, 1, 1, 4),
    )


TRUTH = CellTargets(
    present=torch.ones(1, 1, 1),
    corners=SQUARE.reshape(1, 1, 1, 4, 2),
    weight=torch.ones(1, 1, 1),
    counted=torch.ones(1, 1, 1),
)


def test_presence_is_cross_entropy() -> None:
    assert presence_loss(one_cell(SQUARE), TRUTH).item() == pytest.approx(math.log(2))


@pytest.mark.parametrize("turn", range(4))
def test_the_order_of_the_corners_costs_nothing(turn: int) -> None:
    outputs = one_cell(SQUARE.roll(-turn, dims=0), spread=0.5)
    found = match_turn(outputs, TRUTH)
    assert found.item() == turn
    assert torch.equal(rolled(TRUTH.corners, found), outputs.corners)
    assert corner_loss(outputs, TRUTH, found).item() == pytest.approx(2 * math.log(0.5))


def test_a_corner_beside_its_place_costs_its_distance_over_the_spread() -> None:
    outputs = one_cell(SQUARE + torch.tensor([0.1, 0.0]), spread=0.2)
    turn = match_turn(outputs, TRUTH)
    assert corner_loss(outputs, TRUTH, turn).item() == pytest.approx(0.1 / 0.2 + 2 * math.log(0.2), abs=1e-5)
    assert corner_error(outputs, TRUTH, turn).item() == pytest.approx(0.1)


def test_the_best_spread_is_half_the_distance_in_both_axes_together() -> None:
    spread = torch.tensor(0.3, requires_grad=True)
    outputs = one_cell(SQUARE + 0.05)
    sure = CellOutputs(
        outputs.presence, outputs.corners, spread.log().expand(1, 1, 1, 4), outputs.orientation
    )
    for _ in range(400):
        loss = corner_loss(sure, TRUTH, torch.zeros(1, 1, 1, dtype=torch.long))
        (slope,) = torch.autograd.grad(loss, spread)
        with torch.no_grad():
            spread -= 2e-4 * slope
        sure = CellOutputs(
            outputs.presence, outputs.corners, spread.log().expand(1, 1, 1, 4), outputs.orientation
        )
    assert spread.item() == pytest.approx(0.05, rel=0.02)


def test_orientation_names_the_corner_that_is_the_top_left() -> None:
    outputs = one_cell(SQUARE.roll(-1, dims=0))  # begins with the top right, so the top left comes last
    outputs.orientation[..., 3] = 10.0
    assert orientation_loss(outputs, TRUTH, match_turn(outputs, TRUTH)).item() < 0.01


def test_cells_without_weight_teach_nothing() -> None:
    nothing = CellTargets(torch.zeros(1, 1, 1), TRUTH.corners, torch.zeros(1, 1, 1), torch.zeros(1, 1, 1))
    outputs = one_cell(SQUARE + 3)
    turn = match_turn(outputs, nothing)
    for loss in (corner_loss, orientation_loss):
        assert loss(outputs, nothing, turn).item() == 0
    assert presence_loss(outputs, nothing).item() == 0
