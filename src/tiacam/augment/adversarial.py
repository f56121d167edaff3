"""The augmentor's move in the game of Eq. 4: one step of gradient ascent on Θ."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from .augmentor import AutoAugmentor, Strengths
from .losses import augmentor_objective, invariance_loss, semantic_loss

# The way back starts here, in parts of the bound: a batch estimates L_sem with noise, and a step has
# momentum.
BOUND_MARGIN = 0.9

Layers = Callable[[Tensor], Sequence[Tensor]]


@dataclass(frozen=True)
class AscentSettings:
    """How the augmentor plays.

    `semantic_weight` is λ_sem. Where `semantic_bound` is given and a batch's L_sem comes near it, the step
    lowers L_sem and does nothing else: a weight alone trades meaning for difficulty at any price, a bound
    does not.
    """

    semantic_weight: float = 1.0
    semantic_bound: float | None = None
    gradient_norm: float = 1.0

    def __post_init__(self) -> None:
        if self.semantic_weight < 0 or self.gradient_norm <= 0:
            raise ValueError(f"weights must be positive: {self}")


@dataclass(frozen=True)
class AscentLosses:
    """The terms of Eq. 4 for the batch before the step, still on the device."""

    invariance: Tensor
    semantic: Tensor


def ascend(
    augmentor: AutoAugmentor,
    extractor: Callable[[Tensor], Tensor],
    encoder_layers: Layers,
    images: Tensor,
    *,
    optimizer: torch.optim.Optimizer,
    generator: torch.Generator,
    settings: AscentSettings = AscentSettings(),  # noqa: B008  # frozen
    strengths: Strengths = 1.0,
) -> AscentLosses:
    """Move Θ so that features agree less while the meaning stays; the extractor is left as it is.

    `optimizer` holds parameters of the augmentor. The extractor's and the encoder's parameters get no
    gradient and their statistics do not move; the gradient only passes through them to the pictures.
    Afterwards every bounded parameter is inside its limits.
    """
    with frozen(extractor, encoder_layers):
        losses = play(augmentor, extractor, encoder_layers, images, generator, strengths)
        objective = augmentor_objective(losses.invariance, losses.semantic, settings.semantic_weight)
        if settings.semantic_bound is not None:
            objective = torch.where(
                losses.semantic > BOUND_MARGIN * settings.semantic_bound, -losses.semantic, objective
            )
        climb(objective, optimizer, settings.gradient_norm)
    augmentor.project_()
    return AscentLosses(losses.invariance.detach(), losses.semantic.detach())


def play(
    augmentor: AutoAugmentor,
    extractor: Callable[[Tensor], Tensor],
    encoder_layers: Layers,
    images: Tensor,
    generator: torch.Generator,
    strengths: Strengths = 1.0,
) -> AscentLosses:
    """Distort the pictures with a fresh draw and measure both terms of Eq. 4."""
    distorted = augmentor.distort(images, augmentor.sample(images.shape, generator, strengths))
    with torch.no_grad():
        feature, meaning = extractor(images), encoder_layers(images)
    return AscentLosses(
        invariance=invariance_loss(extractor(distorted), feature),
        semantic=semantic_loss(meaning, encoder_layers(distorted)),
    )


def climb(objective: Tensor, optimizer: torch.optim.Optimizer, gradient_norm: float) -> None:
    """One step of the optimizer upwards; only its own parameters get a gradient."""
    parameters = [parameter for group in optimizer.param_groups for parameter in group["params"]]
    for parameter, slope in zip(
        parameters, torch.autograd.grad(-objective, parameters, allow_unused=True), strict=True
    ):
        parameter.grad = slope
    nn.utils.clip_grad_norm_(parameters, gradient_norm)
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)


@contextmanager
def frozen(*players: object) -> Iterator[None]:
    """Hold modules still: evaluation mode, so that statistics of batches do not move; restored afterwards."""
    modules = [module for player in players if isinstance(player, nn.Module) for module in player.modules()]
    before = [(module, module.training) for module in modules]
    for module, _ in before:
        module.training = False
    try:
        yield
    finally:
        for module, training in before:
            module.training = training
