"""Training the locator: photos with known corners are drawn on the device, and never seen twice."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from tiacam.features.locator import SIZE, LocatorNetwork, read_cells
from tiacam.progress import progress_bar
from tiacam.training.checkpoint import Checkpoint
from tiacam.training.curves import CurveWriter
from tiacam.training.locator_losses import (
    corner_error,
    corner_loss,
    match_turn,
    orientation_loss,
    presence_loss,
)
from tiacam.training.locator_photos import LabelledPhotos, PhotoMaker

COLUMNS = ("loss", "presence", "corner", "orientation", "error", "seconds", "rate")


@dataclass(frozen=True)
class LocatorSettings:
    """One run; it ends after `steps`, or after `seconds` of training if those come first."""

    steps: int = 20_000
    seconds: float = math.inf
    batch: int = 128
    size: int = SIZE
    rate: float = 2e-3
    warm_up: float = 0.03  # share of the run
    decay: float = 0.02
    corner: float = 0.3  # weights of the losses, presence has 1
    orientation: float = 0.4
    average: float = 0.998
    log_every: int = 25
    save_every: int = 500
    seed: int = 0
    compiled: bool = True  # the drawing; half a minute at the start, then several times faster on a GPU

    def rate_at(self, progress: float) -> float:
        """Up along a line, then down along a cosine; `progress` runs from 0 to 1."""
        if progress < self.warm_up:
            return self.rate * (0.02 + 0.98 * progress / self.warm_up)
        done = min(1.0, (progress - self.warm_up) / (1 - self.warm_up))
        return self.rate * (0.005 + 0.995 * (1 + math.cos(math.pi * done)) / 2)


class LocatorTrainer:
    """Holds the network, its averaged copy and the pictures, all on one device."""

    def __init__(
        self,
        network: LocatorNetwork,
        pixels: NDArray[np.uint8],
        settings: LocatorSettings,
        device: torch.device,
    ) -> None:
        self.settings, self.device = settings, device
        self.generator = torch.Generator(device).manual_seed(settings.seed)
        self.network = channels_last(network.to(device))
        self.averaged = channels_last(LocatorNetwork().to(device)).eval().requires_grad_(False)
        self.averaged.load_state_dict(self.network.state_dict())
        self.maker = PhotoMaker(compiled=settings.compiled).to(device)
        self.pixels = torch.from_numpy(pixels).to(device)  # (N, H, W, 3)
        self.optimizer = torch.optim.AdamW(
            self.network.parameters(), lr=settings.rate, weight_decay=settings.decay
        )
        self.step = 0
        self.elapsed = 0.0  # seconds of training, those before a resumption included

    @property
    def progress(self) -> float:
        return max(self.step / self.settings.steps, self.elapsed / self.settings.seconds)

    def run(self, out: Path) -> None:
        """Train to the end; goes on from the checkpoint in `out` and leaves the averaged weights there."""
        self.resume(out / "resume.pt")
        start = time.monotonic() - self.elapsed
        bar = progress_bar(initial=self.step, total=self.settings.steps, desc="locator", mininterval=5)
        with CurveWriter(out / "locator.csv", COLUMNS, self.step) as curve:
            while self.progress < 1:
                logged = self.advance()
                self.elapsed = time.monotonic() - start
                if self.step % self.settings.log_every == 0:
                    values = {name: float(value) for name, value in logged.items()}
                    values |= {"seconds": self.elapsed, "rate": self.settings.rate_at(self.progress)}
                    curve.write(self.step, values)
                    bar.set_postfix({name: round(values[name], 4) for name in COLUMNS[:-2]})
                bar.update()
                if self.step % self.settings.save_every == 0:
                    self.save(out)
        bar.close()
        self.save(out)

    def advance(self) -> dict[str, Tensor]:
        """One step on one batch of new photos."""
        for group in self.optimizer.param_groups:
            group["lr"] = self.settings.rate_at(self.progress)
        labelled = self.next_batch()
        self.network.train()
        with torch.autocast(self.device.type, torch.bfloat16, enabled=self.device.type == "cuda"):
            raw = self.network(labelled.photos.contiguous(memory_format=torch.channels_last))
        terms = self.losses(raw, labelled)
        self.optimizer.zero_grad(set_to_none=True)
        terms["loss"].backward()
        nn.utils.clip_grad_norm_(self.network.parameters(), 2.0)
        self.optimizer.step()
        self.update_average()
        self.step += 1
        return {name: value.detach() for name, value in terms.items()}

    def losses(self, raw: Tensor, labelled: LabelledPhotos) -> dict[str, Tensor]:
        outputs, targets = read_cells(raw), labelled.targets
        turn = match_turn(outputs, targets)
        presence = presence_loss(outputs, targets)
        corner = corner_loss(outputs, targets, turn)
        orientation = orientation_loss(outputs, targets, turn)
        loss = presence + self.settings.corner * corner + self.settings.orientation * orientation
        error = corner_error(outputs, targets, turn)
        return {
            "loss": loss,
            "presence": presence,
            "corner": corner,
            "orientation": orientation,
            "error": error,
        }

    @torch.no_grad()
    def next_batch(self) -> LabelledPhotos:
        """Photos made of pictures drawn anew."""
        batch = self.settings.batch
        chosen = torch.randint(len(self.pixels), (2 * batch,), generator=self.generator, device=self.device)
        pictures = self.pixels[chosen].permute(0, 3, 1, 2).float().div_(255)
        made: LabelledPhotos = self.maker(pictures, batch, self.settings.size, self.generator)
        return made

    @torch.no_grad()
    def update_average(self) -> None:
        weight = 1 - min(self.settings.average, (1 + self.step) / (10 + self.step))
        ours: list[Tensor] = list(self.averaged.parameters())
        theirs: list[Tensor] = list(self.network.parameters())
        torch._foreach_lerp_(ours, theirs, weight)
        for kept, current in zip(self.averaged.buffers(), self.network.buffers(), strict=True):
            kept.copy_(current)

    def save(self, out: Path) -> None:
        """The averaged weights apart from what only a resumption needs, which is four times larger."""
        parts: dict[str, Any] = {
            "network": self.network,
            "averaged": self.averaged,
            "optimizer": self.optimizer,
        }
        state: dict[str, Any] = {name: part.state_dict() for name, part in parts.items()}
        more = {"generator": self.generator.get_state(), "elapsed": self.elapsed}
        Checkpoint(self.step, {"averaged": self.averaged.state_dict()}).save(out / "locator.pt")
        Checkpoint(self.step, state | more).save(out / "resume.pt")

    def resume(self, path: Path) -> None:
        found = Checkpoint.latest(path, self.device)
        if found is None:
            return
        for name in ("network", "averaged", "optimizer"):
            getattr(self, name).load_state_dict(found.state[name])
        self.generator.set_state(found.state["generator"].cpu())
        self.step, self.elapsed = found.step, float(found.state["elapsed"])


def channels_last(network: LocatorNetwork) -> LocatorNetwork:
    """The layout in which depth-wise convolutions are fastest."""
    return network.to(memory_format=torch.channels_last)  # type: ignore[call-overload,no-any-return]
