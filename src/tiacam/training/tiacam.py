"""A run of the text-anchored stage: curve, checkpoints, resumption, collapse alarm, several processes."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch

from tiacam.errors import TrainingError
from tiacam.progress import progress_bar
from tiacam.training.checkpoint import Checkpoint
from tiacam.training.curves import CurveWriter
from tiacam.training.parallel import Team
from tiacam.training.seeds import derive_seed
from tiacam.training.tiacam_data import Dealer
from tiacam.training.tiacam_game import Batch, Game, StepLosses
from tiacam.training.vitals import Alarm, Vitals

COLUMNS = (
    *("discriminator", "augmentor", "semantic", "adversarial", "invariance"),
    *("genuine", "impostor", "impostor_high", "accuracy", "rank"),
)
CHECKPOINT, CURVE = "tiacam.pt", "tiacam.csv"


@dataclass(frozen=True)
class TiacamSettings:
    """One run of the stage."""

    steps: int = 4000
    log_every: int = 25
    save_every: int = 250
    seed: int = 0
    head_start: int = 0  # first steps in which the discriminator plays alone, so that it has something to say
    alarm: Alarm = field(default_factory=Alarm)

    def __post_init__(self) -> None:
        if min(self.steps, self.log_every, self.save_every) < 1 or self.head_start < 0:
            raise ValueError(f"steps must be positive: {self}")


class TiacamTrainer:
    """The game, its dealer and its place in the run."""

    def __init__(
        self, game: Game, dealer: Dealer, settings: TiacamSettings, about: Mapping[str, Any] | None = None
    ) -> None:
        self.game, self.dealer, self.settings = game, dealer, settings
        self.about = dict(about or {})  # plain values that travel with the checkpoint
        self.step = 0
        self.vitals: Vitals | None = None
        for optimizer in self.optimizers.values():
            dealer.team.share(optimizer)

    @property
    def team(self) -> Team:
        return self.dealer.team

    @property
    def optimizers(self) -> dict[str, torch.optim.Optimizer]:
        game = self.game
        named = {
            "extractor_optimizer": game.extractor_optimizer,
            "discriminator_optimizer": game.discriminator_optimizer,
            "augmentor_optimizer": game.augmentor_optimizer,
        }
        return {name: optimizer for name, optimizer in named.items() if optimizer is not None}

    @property
    def players(self) -> dict[str, torch.nn.Module]:
        game = self.game
        return {
            "extractor": game.extractor,
            "discriminator": game.discriminator,
            "augmentor": game.augmentor,
        }

    def run(self, out: Path, until: float | None = None) -> None:
        """Train to the end, or until the clock shows `until`; goes on from the checkpoint in `out`."""
        self.resume(out / CHECKPOINT)
        self.train(self.curve_path(out), until, out / CHECKPOINT)
        self.save(out / CHECKPOINT)

    def train(self, path: Path, until: float | None = None, checkpoint: Path | None = None) -> None:
        """The steps that are left, with a curve in `path` and, if asked for, checkpoints on the way."""
        leads = self.team.leads
        bar = progress_bar(initial=self.step, total=self.settings.steps, desc="tiacam", disable=not leads)
        with bar, CurveWriter(path, COLUMNS, self.step + 1) as curve:
            while self.step < self.settings.steps and not self.out_of_time(until):
                losses, batch = self.advance()
                bar.update()
                if self.step % self.settings.log_every == 0 or self.step == self.settings.steps:
                    bar.set_postfix(self.log(curve, losses, batch))
                if checkpoint and self.step % self.settings.save_every == 0:
                    self.save(checkpoint)

    def advance(self) -> tuple[StepLosses, Batch]:
        """One step; everything random in it follows from the seed, the step and the process."""
        torch.manual_seed(derive_seed(self.settings.seed, "dropout", self.step, self.team.rank))
        generator = self.dealer.generator(self.step)
        batch = self.dealer.deal(self.step, self.game.augmentor, generator)
        play = self.game.step if self.step >= self.settings.head_start else self.game.warm_up
        losses = play(batch, generator)
        self.team.settle([self.game.extractor])
        self.step += 1
        return losses, batch

    def log(self, curve: CurveWriter, losses: StepLosses, batch: Batch) -> dict[str, str]:
        """A line of the curve; the run ends here if the features collapsed. Every process looks at its own part."""
        self.vitals = self.game.examine(batch)
        row = losses.as_row() | self.vitals.as_row()
        curve.write(self.step, row)
        trouble: TrainingError | None = None
        try:
            self.settings.alarm.check(self.step, self.vitals, losses.as_row())
        except TrainingError as error:
            trouble = error
        if self.team.agree(trouble is not None, batch.clean.device):
            raise trouble or TrainingError(f"step {self.step}: another process's features collapsed")
        shown = ("genuine", "impostor", "accuracy", "rank")
        return {name: f"{row[name]:.3g}" for name in shown}

    def curve_path(self, out: Path) -> Path:
        return out / (CURVE if self.team.leads else f"tiacam-{self.team.rank}.csv")

    def out_of_time(self, until: float | None) -> bool:
        over = until is not None and time.time() >= until
        return over if until is None else self.team.agree(over, self.dealer.pool.pixels.device)

    def save(self, path: Path) -> None:
        """Everything that the rest of the run depends on."""
        if not self.team.leads:
            return
        parts: dict[str, Any] = {**self.players, **self.optimizers}
        state = {name: part.state_dict() for name, part in parts.items()}
        Checkpoint(self.step, state | {"about": self.about}).save(path)

    def resume(self, path: Path) -> None:
        """Take up the checkpoint, if there is one."""
        found = Checkpoint.latest(path, self.dealer.pool.pixels.device)
        if found is None:
            return
        parts: dict[str, Any] = {**self.players, **self.optimizers}
        for name, part in parts.items():
            part.load_state_dict(found.state[name])
        self.step = found.step
