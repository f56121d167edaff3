"""Pretraining of the augmentor's networks: each learns its real distortion from synthetic pairs (MSE + SSIM)."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from tiacam.augment import Distortion, Params
from tiacam.progress import progress_bar

from .checkpoint import Checkpoint
from .curves import CurveWriter
from .metrics import likeness_loss, psnr, ssim
from .pairs import Pairs
from .seeds import torch_generator

LOG_EVERY = 20
WARM_UP = 100  # steps in which the learning rate rises
GRADIENT_NORM = 1.0  # an unlucky batch of strong distortions does not throw a network without norms off
LOWEST_RATE = 0.02  # of the learning rate, at the end of the cosine


@dataclass(frozen=True)
class PretrainSettings:
    """One module's run."""

    steps: int
    batch: int = 64
    learning_rate: float = 1e-4  # the paper's
    ssim_weight: float = 0.01  # near convergence both terms are then of one size
    save_every: int = 500

    def __post_init__(self) -> None:
        if (
            min(self.steps, self.batch, self.save_every) < 1
            or self.learning_rate <= 0
            or self.ssim_weight < 0
        ):
            raise ValueError(f"steps, batch and rates must be positive: {asdict(self)}")

    def rate(self, step: int) -> float:
        """Learning rate relative to the highest: a linear rise, then half a cosine."""
        rise = min(1.0, (step + 1) / min(WARM_UP, self.steps))
        fall = 0.5 * (1 + torch.cos(torch.tensor(torch.pi * step / self.steps)).item())
        return rise * (LOWEST_RATE + (1 - LOWEST_RATE) * fall)


class Pretraining:
    """A module, its optimizer and its place in the run; `run` goes on from the last checkpoint in `folder`."""

    def __init__(
        self, module: Distortion[Any], pairs: Pairs, settings: PretrainSettings, folder: Path, seed: int
    ) -> None:
        assert module.network is not None
        self.module, self.pairs, self.settings, self.seed = module, pairs, settings, seed
        self.network = module.network
        self.optimizer = torch.optim.Adam(self.network.parameters(), settings.learning_rate)
        self.checkpoint = folder / f"{module.name}.checkpoint.pt"
        self.curve = folder / f"{module.name}.csv"
        self.step = 0

    def resume(self) -> int:
        """Take up the last checkpoint, if there is one; the step from which the run goes on."""
        device = next(self.module.parameters()).device
        if (found := Checkpoint.latest(self.checkpoint, device)) is not None:
            self.module.load_state_dict(found.state["module"])
            self.optimizer.load_state_dict(found.state["optimizer"])
            self.step = found.step
        return self.step

    def run(self) -> None:
        """All steps that are left, with a curve, a progress bar and checkpoints."""
        columns = ("loss", "psnr", "rate")
        steps = range(self.step, self.settings.steps)
        with CurveWriter(self.curve, columns, self.step) as curve:
            for step in (bar := progress_bar(steps, self.module.name)):
                loss, likeness = self.update(step)
                if step % LOG_EVERY == 0 or step + 1 == self.settings.steps:
                    row = {"loss": loss.item(), "psnr": likeness.item(), "rate": self.settings.rate(step)}
                    curve.write(step, row)
                    bar.set_postfix(loss=f"{row['loss']:.4f}", psnr=f"{row['psnr']:.2f}")
                self.step = step + 1
                if self.step % self.settings.save_every == 0 or self.step == self.settings.steps:
                    self.save()

    def update(self, step: int) -> tuple[Tensor, Tensor]:
        """One step of the optimizer; the loss and the PSNR of its batch."""
        for group in self.optimizer.param_groups:
            group["lr"] = self.settings.learning_rate * self.settings.rate(step)
        batch = self.pairs.batch(self.choose(step))
        with mixed_precision(batch.pictures.device):
            output = self.module(batch.pictures, batch.params)
        loss = likeness_loss(output, batch.targets, self.settings.ssim_weight)
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.network.parameters(), GRADIENT_NORM)
        self.optimizer.step()
        return loss.detach(), psnr(output.detach(), batch.targets).mean()

    def choose(self, step: int) -> Tensor:
        """The pairs of a step: every epoch is a new order that follows from the seed and the epoch alone."""
        size = min(self.settings.batch, len(self.pairs))
        per_epoch = len(self.pairs) // size
        epoch, place = divmod(step, per_epoch)
        order = torch.randperm(
            len(self.pairs), generator=torch_generator(self.seed, self.module.name, "order", epoch)
        )
        return order[place * size : (place + 1) * size].to(self.pairs.pictures.device)

    def save(self) -> None:
        state = {"module": self.module.state_dict(), "optimizer": self.optimizer.state_dict()}
        Checkpoint(self.step, state).save(self.checkpoint)


@dataclass(frozen=True)
class Likeness:
    """Mean PSNR in dB and SSIM to the target, with half the width of the PSNR's 95% interval."""

    psnr: float
    ssim: float
    psnr_ci95: float


@torch.no_grad()
def measure(module: Distortion[Any] | None, pairs: Pairs, batch: int = 100) -> Likeness:
    """How close the module's pictures are to the targets; None leaves the pictures as they are."""
    scores: list[tuple[Tensor, Tensor]] = []
    for start in range(0, len(pairs), batch):
        chosen = pairs.batch(
            torch.arange(start, min(start + batch, len(pairs)), device=pairs.pictures.device)
        )
        output = distorted(module, chosen.pictures, chosen.params)
        scores.append((psnr(output, chosen.targets), ssim(output, chosen.targets)))
    decibels, structure = (torch.cat(values) for values in zip(*scores, strict=True))
    half_width = 1.96 * decibels.std(correction=0).item() / len(decibels) ** 0.5
    return Likeness(decibels.mean().item(), structure.mean().item(), half_width)


def distorted(module: Distortion[Any] | None, pictures: Tensor, params: Params) -> Tensor:
    return pictures if module is None else module(pictures, params)


@contextlib.contextmanager
def mixed_precision(device: torch.device) -> Iterator[None]:
    """Networks in bfloat16 on a GPU; the operators switch it off for themselves."""
    with torch.autocast(device.type, torch.bfloat16, enabled=device.type == "cuda"):
        yield
