"""What the locator is trained for: presence, corners up to a quarter turn, and which corner is the top left."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional

from tiacam.features.locator import CellOutputs


@dataclass(frozen=True)
class CellTargets:
    """The truth for each cell, (B, G, G, ...)."""

    present: Tensor  # (B, G, G) 1 where a picture is seen
    corners: Tensor  # (B, G, G, 4, 2) of that picture from its own top left on, in sides of the photo
    weight: Tensor  # (B, G, G) of the corners; 0 where there is no picture
    counted: Tensor  # (B, G, G) of the presence; 0 where nobody could say


def presence_loss(outputs: CellOutputs, targets: CellTargets) -> Tensor:
    """Binary cross-entropy over the cells that count."""
    loss = functional.binary_cross_entropy_with_logits(outputs.presence, targets.present, reduction="none")
    return (loss * targets.counted).sum() / targets.counted.sum().clamp_min(1)


def match_turn(outputs: CellOutputs, targets: CellTargets) -> Tensor:
    """By how many corners the truth must be rolled to come nearest to the cell's own order (B, G, G).

    A rectangle turned by 90° is the same rectangle, so no order that follows the photo's axes is continuous: each
    cell may begin with any corner, and says apart from it which one is the top left.
    """
    distances = [
        (outputs.corners - targets.corners.roll(-turn, dims=-2)).abs().sum((-1, -2)) for turn in range(4)
    ]
    return torch.stack(distances, -1).argmin(-1)


def rolled(corners: Tensor, turn: Tensor) -> Tensor:
    """Corners (..., 4, 2) begun `turn` (...) corners later."""
    index = (torch.arange(4, device=corners.device) + turn[..., None]) % 4
    return corners.gather(-2, index[..., None].expand_as(corners))


def corner_loss(outputs: CellOutputs, targets: CellTargets, turn: Tensor) -> Tensor:
    """Negative log-likelihood of the corners under a Laplace distribution, whose spread the cell states itself."""
    distance = (outputs.corners - rolled(targets.corners, turn)).abs().sum(-1)  # (B, G, G, 4)
    likelihood = (distance * (-outputs.log_spread).exp() + 2 * outputs.log_spread).mean(-1)
    return (likelihood * targets.weight).sum() / targets.weight.sum().clamp_min(1e-6)


def orientation_loss(outputs: CellOutputs, targets: CellTargets, turn: Tensor) -> Tensor:
    """Cross-entropy of the corner that is the picture's own top left."""
    first = (-turn) % 4
    loss = functional.cross_entropy(outputs.orientation.movedim(-1, 1), first, reduction="none")
    return (loss * targets.weight).sum() / targets.weight.sum().clamp_min(1e-6)


def corner_error(outputs: CellOutputs, targets: CellTargets, turn: Tensor) -> Tensor:
    """Mean distance of a cell's corners from the truth, in sides of the photo."""
    distance: Tensor = torch.linalg.vector_norm(outputs.corners - rolled(targets.corners, turn), dim=-1).mean(
        -1
    )
    return (distance * targets.weight).sum() / targets.weight.sum().clamp_min(1e-6)
