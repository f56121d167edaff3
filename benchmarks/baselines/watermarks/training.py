"""Training a watermark in a fixed time: the message first, then ever more weight on the picture."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import torch
from benchmarks.baselines.budget import TimeBox, one_cycle
from benchmarks.baselines.watermarks.networks import System
from torch import Tensor, nn
from torch.nn import functional

from tiacam.training.metrics import psnr, ssim

RAMP = 0.4  # share of the time until the noise is at its full strength
CHECK_EVERY = 10  # steps between two looks at the accuracy, each of which waits for the device
SMOOTHING = 0.9
LOUDER, FAINTER = -0.1, 0.15  # what a look changes in the weight's logarithm


@dataclass(frozen=True)
class WatermarkSettings:
    """One run."""

    bits: int
    seconds: float
    size: int = 128
    batch: int = 128
    rate: float = 1e-3
    wanted_accuracy: float = 0.96  # of bits through the noise, before the mark may grow fainter
    log_every: int = 50
    seed: int = 0


@dataclass
class Balance:
    """The weight of the picture against the message: it grows while the message comes through."""

    wanted: float
    target_psnr: float
    log_weight: float = 0.0
    accuracy: float = 0.5
    psnr: float = 0.0

    def update(self, accuracy: float, quality: float) -> None:
        """After a look: the mean accuracy of the last hundred steps decides; a mark faint enough stays as it is."""
        self.accuracy += (1 - SMOOTHING) * (accuracy - self.accuracy)
        self.psnr = quality
        eager = self.accuracy > self.wanted and quality < self.target_psnr
        self.log_weight = min(max(self.log_weight + (FAINTER if eager else LOUDER), -2.0), 9.0)

    @property
    def weight(self) -> float:
        return math.exp(self.log_weight)


@dataclass
class WatermarkTrainer:
    """Encoder and decoder of one system, trained together on one device."""

    system: System
    pixels: Tensor  # (N, H, W, 3) uint8, on the device
    settings: WatermarkSettings
    curve: list[dict[str, float]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.device = self.pixels.device
        self.generator = torch.Generator(self.device).manual_seed(self.settings.seed)
        for part in (self.system.encoder, self.system.decoder):
            part.to(self.device, memory_format=torch.channels_last)  # type: ignore[call-overload]
        self.system.noise.to(self.device)
        self.parameters = [*self.system.encoder.parameters(), *self.system.decoder.parameters()]
        self.optimizer = torch.optim.AdamW(self.parameters, lr=self.settings.rate, weight_decay=1e-4)
        self.balance = Balance(self.settings.wanted_accuracy, self.system.target_psnr)
        self.step = 0

    def run(self) -> None:
        """Train until the time is over."""
        box = TimeBox(self.settings.seconds)
        while box.progress < 1:
            message_loss = self.advance(box.progress)
            if self.step % self.settings.log_every == 0:
                self.curve.append(self.describe(message_loss))

    def advance(self, progress: float) -> Tensor:
        """One step on one batch; the message's loss."""
        for group in self.optimizer.param_groups:
            group["lr"] = one_cycle(progress, self.settings.rate)
        cover, message = self.draw()
        with torch.autocast(self.device.type, torch.bfloat16, enabled=self.device.type == "cuda"):
            marked = self.system.encoder(cover, message)
            seen = self.system.noise.distort(marked, cover, self.generator, min(1.0, progress / RAMP))
            logits = self.system.decoder(seen).float()
        spoken = functional.binary_cross_entropy_with_logits(logits, message)
        change = picture_loss(marked, cover, self.system.masked)
        self.optimizer.zero_grad(set_to_none=True)
        (spoken + self.balance.weight * change).backward()
        nn.utils.clip_grad_norm_(self.parameters, 1.0)
        self.optimizer.step()
        self.step += 1
        if self.step % CHECK_EVERY == 0:
            right = ((logits > 0) == (message > 0.5)).float().mean()
            accuracy, quality = torch.stack([right, psnr(marked, cover).mean()]).tolist()
            self.balance.update(accuracy, quality)
        return spoken.detach()

    def describe(self, message_loss: Tensor) -> dict[str, float]:
        """A line of the curve."""
        return {
            "step": self.step,
            "message": float(message_loss),
            "accuracy": self.balance.accuracy,
            "psnr": self.balance.psnr,
            "weight": self.balance.weight,
        }

    def draw(self) -> tuple[Tensor, Tensor]:
        """Covers (B, 3, S, S) and messages (B, K)."""
        settings = self.settings
        chosen = torch.randint(
            len(self.pixels), (settings.batch,), generator=self.generator, device=self.device
        )
        pixels = self.pixels[chosen].permute(0, 3, 1, 2).float() / 255
        cover = functional.interpolate(pixels, (settings.size,) * 2, mode="bilinear", antialias=True)
        message = torch.rand((len(cover), settings.bits), generator=self.generator, device=self.device)
        return cover.clamp(0, 1), (message < 0.5).float()


def picture_loss(marked: Tensor, cover: Tensor, masked: bool) -> Tensor:
    """Squared error, a little structural dissimilarity; with `masked`, changes cost less on edges (PIMoG)."""
    weight = edge_weight(cover) if masked else 1.0
    error = (weight * (marked - cover) ** 2).mean()
    return error + 0.01 * (1 - ssim(marked, cover).mean())


def edge_weight(cover: Tensor) -> Tensor:
    """1 on average, less where the picture has edges (B, 1, H, W)."""
    grey = cover.mean(1, keepdim=True)
    across = functional.pad((grey[..., 1:] - grey[..., :-1]).abs(), (0, 1))
    down = functional.pad((grey[..., 1:, :] - grey[..., :-1, :]).abs(), (0, 0, 0, 1))
    calm = 1 / (0.05 + functional.avg_pool2d(across + down, 5, 1, padding=2))
    return calm / calm.mean((2, 3), keepdim=True)
