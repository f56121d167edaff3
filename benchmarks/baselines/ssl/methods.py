"""What each method puts on top of the tower, and how two views become a loss."""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence

import torch
from benchmarks.baselines.ssl import losses
from torch import Tensor, nn
from torch.nn import functional

from tiacam.features.anchor import EMBEDDING, ImageTower
from tiacam.training.anchor_settings import AnchorSettings
from tiacam.training.contrast import instance_loss, invariance_loss, redundancy_loss, spreading_loss

Objective = Callable[[Tensor, Tensor], Tensor]
EXPANDER = (2048, 2048)
OURS = AnchorSettings()
BYOL_MOMENTUM = 0.99  # a few hundred steps are too few for the published 0.996


class Method(nn.Module, ABC):
    """A tower in training. The features that are kept are the tower's 768 numbers, before any projector."""

    tower: ImageTower

    @abstractmethod
    def forward(self, clean: Tensor, captured: Tensor) -> tuple[Tensor, Tensor]:
        """The embeddings of both views (2B, 768), and the loss."""

    def follow(self) -> None:
        """What happens after the optimizer's step."""


class Siamese(Method):
    """One tower, a projector, a loss on the two projections."""

    def __init__(self, tower: ImageTower, projector: nn.Module, objective: Objective) -> None:
        super().__init__()
        self.tower, self.projector, self.objective = tower, projector, objective

    def forward(self, clean: Tensor, captured: Tensor) -> tuple[Tensor, Tensor]:
        embedded = self.tower(stack(clean, captured))
        first, second = self.projector(embedded).float().chunk(2)
        with torch.autocast(first.device.type, enabled=False):
            return embedded.float(), self.objective(first, second)


class Byol(Method):
    """An online network that predicts the projections of its own moving average.

    Projectors and predictor see each view in a batch of its own, as published. With both in one batch, the views of
    this project, a picture and its capture, are told apart instead: two points, one a kind, satisfy the loss and the
    normalisation of the batch.
    """

    def __init__(self, tower: ImageTower) -> None:
        super().__init__()
        self.tower, self.projector = tower, perceptron(EMBEDDING, (2048, 256))
        self.predictor = perceptron(256, (1024, 256))
        self.target = copy.deepcopy(nn.Sequential(tower, self.projector)).requires_grad_(False)

    def forward(self, clean: Tensor, captured: Tensor) -> tuple[Tensor, Tensor]:
        both = stack(clean, captured)
        embedded = self.tower(both)
        first, second = (self.predictor(self.projector(view)).float() for view in embedded.chunk(2))
        with torch.no_grad():
            tower, projector = self.target
            target_first, target_second = (projector(view).float() for view in tower(both).chunk(2))
        loss = losses.byol_loss(first, target_second) + losses.byol_loss(second, target_first)
        return embedded.float(), loss / 2

    @torch.no_grad()
    def follow(self) -> None:
        ours: list[Tensor] = [*self.tower.parameters(), *self.projector.parameters()]
        torch._foreach_lerp_(list(self.target.parameters()), ours, 1 - BYOL_MOMENTUM)


def stack(clean: Tensor, captured: Tensor) -> Tensor:
    return torch.cat([clean, captured]).contiguous(memory_format=torch.channels_last)


def perceptron(inputs: int, widths: Sequence[int]) -> nn.Sequential:
    """Dense layers with batch normalisation and ReLU between them."""
    layers: list[nn.Module] = []
    for width in widths[:-1]:
        layers += [nn.Linear(inputs, width, bias=False), nn.BatchNorm1d(width), nn.ReLU(inplace=True)]
        inputs = width
    return nn.Sequential(*layers, nn.Linear(inputs, widths[-1]))


def vibcreg_objective(first: Tensor, second: Tensor) -> Tensor:
    return losses.vibcreg_loss(losses.whiten_iteratively(first), losses.whiten_iteratively(second))


def anchor_objective(first: Tensor, second: Tensor) -> Tensor:
    """Our own loss without its captions, straight on the features: what the same seconds give it."""
    clean, captured = functional.normalize(first), functional.normalize(second)
    return (
        instance_loss(clean, captured, OURS.temperature)
        + OURS.invariance * invariance_loss(clean, captured)
        + OURS.redundancy * redundancy_loss(clean, captured, OURS.decorrelation)
        + OURS.spreading * spreading_loss(clean)
    )


def build(name: str, tower: ImageTower) -> Method:
    """A method by its name around a tower."""
    if name == "byol":
        return Byol(tower)
    expander = perceptron(EMBEDDING, EXPANDER)
    if name == "simclr":
        return Siamese(tower, perceptron(EMBEDDING, (2048, 128)), losses.simclr_loss)
    if name == "barlow":
        return Siamese(tower, expander, losses.barlow_loss)
    if name == "vicreg":
        return Siamese(tower, expander, losses.vicreg_loss)
    if name == "vibcreg":
        return Siamese(tower, expander, vibcreg_objective)
    if name == "anchor-short":
        return Siamese(tower, nn.Identity(), anchor_objective)
    raise ValueError(f"no method {name!r}, there are {', '.join(METHODS)}")


METHODS = ("simclr", "byol", "barlow", "vicreg", "vibcreg", "anchor-short")
