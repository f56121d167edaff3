"""Training a watermark in a fixed time: the message first, then the picture, as fast as the decoder follows."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import torch
from benchmarks.baselines.budget import TimeBox, one_cycle
from benchmarks.baselines.watermarks.networks import System
from torch import Tensor, nn
from torch.nn import functional

from tiacam.training.metrics import psnr, ssim

CHECK_EVERY = 10  # steps between two looks at the accuracy, each of which waits for the device
SMOOTHING = 0.8
HARDER, HARDEST = 0.05, 2.0
GRACE, DEADLINE = 0.1, 0.6  # shares of the time
LOUDER, FAINTER = -0.1, 0.15  # what a look changes in the weight's logarithm
LEAST_WEIGHT, MOST_WEIGHT = -4.0, 9.0


@dataclass(frozen=True)
class WatermarkSettings:
    """One run."""

    bits: int
    seconds: float
    size: int = 128
    batch: int = 64
    rate: float = 1e-3
    wanted_accuracy: float = 0.96  # of bits through the noise, before the mark may grow fainter
    log_every: int = 50
    seed: int = 0
    half: bool = True  # bf16 where precision does not matter


@dataclass
class Curriculum:
    """How hard the task is by now: flat covers first, then real ones, then noise, then ever fainter marks.

    A decoder that has to find a faint pattern in photos at once may not find it for thousands of steps; on flat covers
    it does within a hundred.
    """

    wanted: float  # accuracy of bits at which the task gets harder
    target_psnr: float
    level: float = 0.0  # up to 1 the covers' contrast, from there to 2 the strength of the noise
    log_weight: float = -4.0  # of the picture's loss against the message's
    accuracy: float = 0.5
    psnr: float = 0.0

    def update(self, accuracy: float, quality: float, progress: float) -> None:
        """After a look at one batch; at `DEADLINE` the covers are real and the noise is whole in any case."""
        self.accuracy += (1 - SMOOTHING) * (accuracy - self.accuracy)
        self.psnr = quality
        ready = self.accuracy > self.wanted
        if self.level < HARDEST:
            raised = self.level + HARDER * ready
            self.level = min(HARDEST, max(raised, HARDEST * (progress - GRACE) / (DEADLINE - GRACE)))
        else:
            change = FAINTER if ready and quality < self.target_psnr else LOUDER
            self.log_weight = min(max(self.log_weight + change, LEAST_WEIGHT), MOST_WEIGHT)

    @property
    def contrast(self) -> float:
        return min(1.0, self.level)

    @property
    def ramp(self) -> float:
        return max(0.0, self.level - 1)

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
        self.curriculum = Curriculum(self.settings.wanted_accuracy, self.system.target_psnr)
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
        with torch.autocast(self.device.type, torch.bfloat16, enabled=self.settings.half):
            marked = self.system.encoder(cover, message).contiguous()
            seen = self.system.noise.distort(marked, cover, self.generator, self.curriculum.ramp)
            logits = self.system.decoder(seen).float()
        spoken = functional.binary_cross_entropy_with_logits(logits, message)
        change = picture_loss(marked, cover, self.system.masked)
        self.optimizer.zero_grad(set_to_none=True)
        (spoken + self.curriculum.weight * change).backward()
        nn.utils.clip_grad_norm_(self.parameters, 1.0)
        self.optimizer.step()
        self.step += 1
        if self.step % CHECK_EVERY == 0:
            right = ((logits > 0) == (message > 0.5)).float().mean()
            accuracy, quality = torch.stack([right, psnr(marked, cover).mean()]).tolist()
            self.curriculum.update(accuracy, quality, progress)
        return spoken.detach()

    def describe(self, message_loss: Tensor) -> dict[str, float]:
        """A line of the curve."""
        return {
            "step": self.step,
            "message": float(message_loss),
            "accuracy": self.curriculum.accuracy,
            "psnr": self.curriculum.psnr,
            "level": self.curriculum.level,
            "weight": self.curriculum.weight,
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
        faded = 0.5 + self.curriculum.contrast * (cover.clamp(0, 1) - 0.5)
        return faded, (message < 0.5).float()


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
