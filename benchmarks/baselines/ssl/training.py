"""Training one self-supervised baseline in a fixed time, on the captures that the anchor is trained on."""

from __future__ import annotations

from dataclasses import dataclass, field

import torch
from benchmarks.baselines.budget import TimeBox, one_cycle
from benchmarks.baselines.ssl.methods import Method
from torch import Tensor, nn
from torch.nn import functional

from tiacam.training.anchor import diagnose
from tiacam.training.captures import CaptureSettings, CaptureSimulator


@dataclass(frozen=True)
class SslSettings:
    """One run; the same for all methods."""

    seconds: float = 50.0
    steps: int | None = None  # instead of the seconds: a busy machine gives all methods the same
    size: int = 160
    batch: int = 512
    rate: float = 1e-3
    decay: float = 0.03
    log_every: int = 25
    seed: int = 0
    half: bool = True  # bf16 where precision does not matter


@dataclass
class SslTrainer:
    """A method and the pictures, on one device."""

    method: Method
    pixels: Tensor  # (N, H, W, 3) uint8, on the device
    settings: SslSettings
    curve: list[dict[str, float]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.device = self.pixels.device
        self.generator = torch.Generator(self.device).manual_seed(self.settings.seed)
        self.method.to(self.device, memory_format=torch.channels_last)  # type: ignore[call-overload]
        self.simulator = CaptureSimulator(CaptureSettings()).to(self.device)
        self.parameters = [value for value in self.method.parameters() if value.requires_grad]
        self.optimizer = torch.optim.AdamW(
            self.parameters, lr=self.settings.rate, weight_decay=self.settings.decay
        )
        self.step = 0

    def run(self) -> None:
        """Train until the steps or the time are over."""
        self.method.train()
        box = TimeBox(self.settings.seconds)
        while (progress := self.progress(box)) < 1:
            embedded, loss = self.advance(progress)
            if self.step % self.settings.log_every == 0:
                self.curve.append(self.describe(embedded, loss))

    def progress(self, box: TimeBox) -> float:
        """The share of the steps that are done, or of the time that is gone."""
        return self.step / self.settings.steps if self.settings.steps else box.progress

    def advance(self, progress: float) -> tuple[Tensor, Tensor]:
        """One step on one batch: the embeddings and the loss, without their history."""
        for group in self.optimizer.param_groups:
            group["lr"] = one_cycle(progress, self.settings.rate)
        clean, captured = self.draw()
        with torch.autocast(self.device.type, torch.bfloat16, enabled=self.settings.half):
            embedded, loss = self.method(clean, captured)
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(self.parameters, 5.0)
        self.optimizer.step()
        self.method.follow()
        self.step += 1
        return embedded.detach(), loss.detach()

    def draw(self) -> tuple[Tensor, Tensor]:
        """Pictures and their captures (B, 3, S, S)."""
        chosen = torch.randint(
            len(self.pixels), (self.settings.batch,), generator=self.generator, device=self.device
        )
        sources = self.pixels[chosen].permute(0, 3, 1, 2).float().div_(255)
        clean, captured = self.simulator(sources, self.settings.size, self.generator)
        return clean, captured

    def describe(self, embedded: Tensor, loss: Tensor) -> dict[str, float]:
        """A line of the curve; genuine cosines, impostor cosines and rank are those of the batch."""
        clean, captured = functional.normalize(embedded).chunk(2)
        found = {name: float(value) for name, value in diagnose(clean).items()}
        genuine = float((clean * captured).sum(1).mean())
        return {"step": self.step, "loss": float(loss), "genuine": genuine, **found}
