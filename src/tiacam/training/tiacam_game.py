"""The game of "Full System Training": discriminator, augmentor and extractor, each with its own update."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields

import torch
from torch import Tensor, nn

from tiacam.augment import AscentSettings, AutoAugmentor, ascend, invariance_loss
from tiacam.augment.ranges import LearnableRange
from tiacam.features.discriminator import Discriminator
from tiacam.features.dual import DualEncoder
from tiacam.features.extractor import Extractor
from tiacam.features.invariant import InvariantFeature
from tiacam.features.losses import Form, adversarial_loss, discriminator_objective, extractor_loss
from tiacam.training.contrast import instance_loss
from tiacam.training.pretraining import mixed_precision
from tiacam.training.vitals import Vitals, pair_accuracy, take_vitals


@dataclass(frozen=True)
class GameSettings:
    """How the three play. A text weight of zero leaves the captions, and with them the discriminator, out."""

    rate: float = 1e-4  # the paper's, for all networks
    discriminator_rate: float | None = None  # where it should differ
    range_rate: float = 3e-3  # for the augmentor's ranges, whose unit is the whole span of what is plausible
    adversarial_weight: float = 1.0  # λ_adv
    form: Form = Form.NON_SATURATING
    ascent: bool = True  # whether the augmentor plays, or stays as it was pretrained
    ascent_pictures: int = 64  # of a batch, for the augmentor's step, which costs most
    semantic_weight: float = 0.1  # λ_sem: L_sem sums over layers and starts ten times larger than L_inv
    semantic_bound: float | None = 2.0
    contrast_weight: float = 0.0  # instance contrast beside Eqs. 1-4; the paper has none
    temperature: float = 0.06

    def __post_init__(self) -> None:
        if self.rate <= 0 or self.range_rate <= 0 or self.ascent_pictures < 1:
            raise ValueError(f"rates and pictures must be positive: {self}")
        if min(self.adversarial_weight, self.semantic_weight, self.contrast_weight) < 0:
            raise ValueError(f"weights must not be negative: {self}")

    @property
    def anchored(self) -> bool:
        return self.adversarial_weight > 0


@dataclass(frozen=True)
class Batch:
    """Pictures (B, 3, H, W), the encoder's embeddings of them and of their distorted selves, E⁺ and E⁻ (B, D)."""

    pictures: Tensor
    clean: Tensor
    distorted: Tensor
    positive: Tensor
    negative: Tensor


@dataclass(frozen=True)
class StepLosses:
    """What each player's objective was before its update; zero for a player that sits out."""

    discriminator: Tensor  # L_disc of Eq. 1
    augmentor: Tensor  # L_inv as the augmentor saw it
    semantic: Tensor  # L_sem
    adversarial: Tensor  # L_adv of Eq. 2
    invariance: Tensor  # L_inv of Eq. 4

    def as_row(self) -> dict[str, float]:
        return {field.name: float(getattr(self, field.name)) for field in fields(self)}


@dataclass(frozen=True)
class Ascent:
    """Both terms of the augmentor's step."""

    invariance: Tensor
    semantic: Tensor


@dataclass(frozen=True)
class Descent:
    """Both terms of the extractor's step."""

    adversarial: Tensor
    invariance: Tensor


class Game:
    """The players and their optimizers; the encoder is frozen."""

    def __init__(
        self,
        encoder: DualEncoder,
        extractor: Extractor,
        discriminator: Discriminator,
        augmentor: AutoAugmentor,
        settings: GameSettings,
    ) -> None:
        self.feature = InvariantFeature(encoder, extractor)
        self.extractor, self.discriminator, self.augmentor = extractor, discriminator, augmentor
        self.settings = settings
        self.extractor_optimizer = torch.optim.Adam(extractor.parameters(), settings.rate)
        self.discriminator_optimizer = torch.optim.Adam(
            discriminator.parameters(), settings.discriminator_rate or settings.rate
        )
        self.augmentor_optimizer = build_ascent_optimizer(augmentor, settings)

    def step(self, batch: Batch, generator: torch.Generator) -> StepLosses:
        """One iteration: each player moves once."""
        told = self.update_discriminator(batch)
        pushed = self.update_augmentor(batch, generator)
        pulled = self.update_extractor(batch)
        return StepLosses(told, pushed.invariance, pushed.semantic, pulled.adversarial, pulled.invariance)

    def warm_up(self, batch: Batch, generator: torch.Generator) -> StepLosses:  # noqa: ARG002  # as `step`
        """An iteration in which the others wait."""
        nothing = batch.clean.new_zeros(())
        return StepLosses(self.update_discriminator(batch), nothing, nothing, nothing, nothing)

    def update_discriminator(self, batch: Batch) -> Tensor:
        """(i) D learns to tell matched from mismatched pairs: ascent on Eq. 1."""
        if not self.settings.anchored:
            return batch.clean.new_zeros(())
        self.extractor.train()
        self.discriminator.train()
        with mixed_precision(batch.clean.device):
            with torch.no_grad():
                clean, distorted = self.extract(batch)
            match = self.discriminator(torch.cat([clean, distorted]), batch.positive.repeat(2, 1))
            mismatch = self.discriminator(torch.cat([clean, distorted]), batch.negative.repeat(2, 1))
        objective = discriminator_objective(*match.chunk(2), *mismatch.chunk(2))
        descend(-objective, self.discriminator_optimizer)
        return objective.detach()

    def update_augmentor(self, batch: Batch, generator: torch.Generator) -> Ascent:
        """(ii) T_aug looks for distortions that move the feature but not the meaning: ascent on Eq. 4."""
        if self.augmentor_optimizer is None:
            return Ascent(*batch.clean.new_zeros(2).unbind())
        settings = self.settings
        with mixed_precision(batch.clean.device):
            losses = ascend(
                self.augmentor,
                self.feature,
                self.feature.layers,
                batch.pictures[: settings.ascent_pictures],
                optimizer=self.augmentor_optimizer,
                generator=generator,
                settings=AscentSettings(settings.semantic_weight, settings.semantic_bound),
            )
        self.feature.forget()
        return Ascent(losses.invariance, losses.semantic)

    def update_extractor(self, batch: Batch) -> Descent:
        """(iii) f_θ aligns pictures with their captions and resists the distortions: descent on λ_adv·L_adv + L_inv."""
        settings = self.settings
        self.extractor.train()
        self.discriminator.eval()
        with mixed_precision(batch.clean.device):
            clean, distorted = self.extract(batch)
            adversarial = clean.new_zeros(())
            if settings.anchored:
                match = self.discriminator(torch.cat([clean, distorted]), batch.positive.repeat(2, 1))
                of_clean, of_distorted = match.chunk(2)
                adversarial = adversarial_loss(of_clean, of_distorted, settings.form)
        invariance = invariance_loss(distorted, clean)
        loss = extractor_loss(adversarial, invariance, settings.adversarial_weight)
        if settings.contrast_weight:
            unit = [nn.functional.normalize(part) for part in (clean, distorted)]
            loss = loss + settings.contrast_weight * instance_loss(unit[0], unit[1], settings.temperature)
        descend(loss, self.extractor_optimizer)
        return Descent(adversarial.detach(), invariance.detach())

    def extract(self, batch: Batch) -> tuple[Tensor, Tensor]:
        """F and F' of a batch; both go through together, so that they share the statistics of one batch."""
        clean, distorted = self.extractor(torch.cat([batch.clean, batch.distorted])).chunk(2)
        return clean, distorted

    @torch.no_grad()
    def examine(self, batch: Batch) -> Vitals:
        """What a log line says of the features, as they are outside of training."""
        self.extractor.eval()
        self.discriminator.eval()
        with mixed_precision(batch.clean.device):
            clean, distorted = self.extract(batch)
            match, mismatch = (
                self.discriminator(torch.cat([clean, distorted]), caption.repeat(2, 1))
                for caption in (batch.positive, batch.negative)
            )
        return take_vitals(clean, distorted, pair_accuracy(match, mismatch))


def descend(loss: Tensor, optimizer: torch.optim.Optimizer) -> None:
    """One step downwards; only the optimizer's own parameters get a gradient."""
    parameters = [parameter for group in optimizer.param_groups for parameter in group["params"]]
    for parameter, slope in zip(parameters, torch.autograd.grad(loss, parameters), strict=True):
        parameter.grad = slope
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)


def build_ascent_optimizer(augmentor: AutoAugmentor, settings: GameSettings) -> torch.optim.Adam | None:
    """Networks at the paper's rate, ranges at their own; none where the augmentor does not play."""
    ends = {parameter for parameter in range_ends(augmentor) if parameter.requires_grad}
    others = [p for p in augmentor.parameters() if p.requires_grad and p not in ends]
    if not settings.ascent or not (ends or others):
        return None
    ordered = [parameter for parameter in range_ends(augmentor) if parameter in ends]
    groups = [{"params": others, "lr": settings.rate}, {"params": ordered, "lr": settings.range_rate}]
    return torch.optim.Adam([group for group in groups if group["params"]])


def range_ends(augmentor: AutoAugmentor) -> Iterator[nn.Parameter]:
    for module in augmentor.modules():
        if isinstance(module, LearnableRange):
            yield module.ends
