"""Training the anchor backbone: pictures against their simulated captures, and against their captions."""

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
from torch.nn import functional

from tiacam.errors import UsageError
from tiacam.features.anchor import EMBEDDING, ImageTower, TextProjection
from tiacam.progress import progress_bar
from tiacam.training.anchor_settings import AnchorSettings, Pace
from tiacam.training.captures import CaptureSettings, CaptureSimulator
from tiacam.training.checkpoint import Checkpoint
from tiacam.training.contrast import (
    apart_loss,
    caption_loss,
    instance_loss,
    invariance_loss,
    redundancy_loss,
    spreading_loss,
)
from tiacam.training.curves import CurveWriter
from tiacam.training.lettering import draw_sprites, lay_over
from tiacam.training.mining import group_alike
from tiacam.training.parallel import Team
from tiacam.training.record import current_commit
from tiacam.training.seeds import derive_seed
from tiacam.training.textures import make_textures
from tiacam.training.whitening import REFRESH, RunningWhitening

MET = 8  # batches whose features are measured before the first step
COLUMNS = (
    "loss",
    "instance",
    "invariance",
    "redundancy",
    "spreading",
    "apart",
    "caption",
    "genuine",
    "impostor",
    "rank",
    "rate",
)


@dataclass(frozen=True)
class Captions:
    """Sentence embeddings of the pictures that have captions: those of picture i are rows first[i] ... + count[i]."""

    embeddings: Tensor  # (C, 384)
    first: Tensor  # (N,)
    count: Tensor  # (N,) 0 where a picture has none

    def extended(self, pictures: int) -> Captions:
        """The same with so many pictures more that have no caption."""
        none = self.count.new_zeros(pictures)
        return Captions(self.embeddings, torch.cat([self.first, none]), torch.cat([self.count, none]))

    def choose(self, pictures: Tensor, generator: torch.Generator) -> tuple[Tensor, Tensor]:
        """Which of the pictures have a caption (bool), and one caption's embedding for each of those."""
        count = self.count[pictures]
        has = count > 0
        unit = torch.rand(len(pictures), generator=generator, device=pictures.device)
        rows = self.first[pictures] + (unit * count).long()
        return has, self.embeddings[rows[has]].float()


class AnchorTrainer:
    """Holds the networks, their averaged copy and the data, all on one device."""

    def __init__(
        self,
        tower: ImageTower,
        pixels: NDArray[np.uint8],
        captions: Captions,
        settings: AnchorSettings,
        device: torch.device,
        team: Team = Team(),  # noqa: B008  # frozen
    ) -> None:
        self.settings, self.device, self.team = settings, device, team
        self.generator = torch.Generator(device).manual_seed(settings.seed + team.rank)
        self.tower = channels_last(tower.to(device))
        self.averaged = (
            channels_last(ImageTower(tower.backbone.stages).to(device)).eval().requires_grad_(False)
        )
        self.averaged.load_state_dict(self.tower.state_dict())
        self.text = TextProjection(captions.embeddings.shape[1]).to(device)
        self.simulator = CaptureSimulator(CaptureSettings()).to(device)
        textures = make_textures(settings.textures, pixels.shape[1], self.generator)
        self.pixels = torch.cat([torch.from_numpy(pixels).to(device), textures.to(device)])  # (N, H, W, 3)
        self.sprites = torch.from_numpy(draw_sprites(settings.sprites, pixels.shape[1], settings.seed)).to(
            device
        )
        self.captions = captions.extended(settings.textures)
        self.front = nn.ModuleList(self.tower.backbone.front(settings.frozen)).requires_grad_(False)
        parameters = [one for one in (*self.tower.parameters(), *self.text.parameters()) if one.requires_grad]
        self.optimizer = torch.optim.AdamW(parameters, lr=settings.rate, weight_decay=settings.decay)
        team.share(self.optimizer)
        self.whitening = RunningWhitening(EMBEDDING, settings.whitened).to(device)
        self.step = 0
        self.queue = torch.empty(0, dtype=torch.long, device=device)  # what is left of the planned pictures
        self.forward_tower: nn.Module = torch.compile(self.tower) if settings.compiled else self.tower  # type: ignore[assignment]

    def run(self, out: Path, until: float | None = None) -> None:
        """Train to the end; goes on from the checkpoint in `out`.

        With `until`, as many steps as fit until the clock shows it: the schedule follows the speed that is measured.
        """
        if until is not None and self.team.world > 1:
            raise UsageError("several processes train for a number of steps, not for a time: use --steps")
        self.resume(out / "anchor.pt")
        bar = progress_bar(initial=self.step, total=self.settings.steps, desc="anchor", mininterval=5)
        pace = Pace(until)
        with CurveWriter(self.curve_path(out), COLUMNS, self.step + 1) as curve:
            while self.step < self.settings.steps and (until is None or time.time() < until):
                self.settings = pace.plan(self.settings, self.step)
                logged = self.advance()
                if self.step % self.settings.log_every == 0:
                    values = {name: float(value) for name, value in logged.items()}
                    curve.write(self.step, values)
                    bar.set_postfix(
                        {k: round(values[k], 3) for k in ("loss", "genuine", "impostor", "caption")}
                    )
                bar.update()
                if self.step % self.settings.save_every == 0:
                    self.save(out / "anchor.pt")
        bar.close()
        self.save(out / "anchor.pt")

    def advance(self) -> dict[str, Tensor]:
        """One step on one batch."""
        for group in self.optimizer.param_groups:
            group["lr"] = self.settings.rate_at(self.step)
        if self.settings.whitened and self.step == 0:
            self.meet_features()
        chosen = self.next_batch()
        clean, captured = self.pair(chosen)
        self.tower.train()
        self.front.eval()
        with torch.autocast(self.device.type, torch.bfloat16, enabled=self.device.type == "cuda"):
            embedded = self.forward_tower(
                torch.cat([clean, captured]).contiguous(memory_format=torch.channels_last)
            )
        features = functional.normalize(embedded.float())
        terms = self.losses(features[: len(chosen)], features[len(chosen) :], chosen)
        self.optimizer.zero_grad(set_to_none=True)
        terms["loss"].backward()
        nn.utils.clip_grad_norm_(self.tower.parameters(), 5.0)
        self.optimizer.step()
        self.team.settle([self.tower])
        if self.settings.whitened:
            self.team.settle([self.whitening])
            if self.step % REFRESH == 0:
                self.whitening.measure()
        self.update_average()
        self.step += 1
        values = {name: value.detach() for name, value in terms.items()}
        if self.step % self.settings.log_every == 0:  # these cost as much as a step
            values |= diagnose(features[: len(chosen)].detach()) | {
                "rate": torch.tensor(self.settings.rate_at(self.step))
            }
        return values

    def losses(self, clean: Tensor, captured: Tensor, chosen: Tensor) -> dict[str, Tensor]:
        settings = self.settings
        has, sentences = self.captions.choose(chosen, self.generator)
        texts = self.text(sentences)
        seen = (clean, captured)
        if settings.whitened:
            self.whitening.observe(clean)
            seen = (self.whitening(clean), self.whitening(captured))
        instance = instance_loss(*seen, settings.temperature)
        invariance = invariance_loss(*seen)
        redundancy = redundancy_loss(clean, captured, settings.decorrelation)
        spreading = spreading_loss(seen[0])
        apart = apart_loss(*seen, settings.margin)
        caption = clean.new_zeros(())
        if len(texts):  # a small batch may have no captions
            caption = sum(
                (caption_loss(view[has], texts, self.text.scale) for view in (clean, captured)), caption
            )
        loss = (
            instance
            + settings.invariance * invariance
            + settings.redundancy * redundancy
            + settings.spreading * spreading
            + settings.apart * apart
            + settings.caption * caption
        )
        return {
            "loss": loss,
            "instance": instance,
            "invariance": invariance,
            "redundancy": redundancy,
            "spreading": spreading,
            "apart": apart,
            "caption": caption / 2,
            "genuine": 1 - invariance,
        }

    @torch.no_grad()
    def meet_features(self) -> None:
        """Statistics of the features before the first step, so that it has axes to whiten along."""
        self.tower.eval()
        for chosen in torch.randperm(len(self.pixels), generator=self.generator, device=self.device)[
            : MET * self.settings.batch
        ].split(self.settings.batch):
            clean, _ = self.pair(chosen)
            self.whitening.observe(functional.normalize(self.tower(clean).float()))
        self.team.settle([self.whitening])
        self.whitening.measure()

    @torch.no_grad()
    def pair(self, chosen: Tensor) -> tuple[Tensor, Tensor]:
        sources = self.letter(self.pixels[chosen].permute(0, 3, 1, 2).float().div_(255))
        clean, captured = self.simulator(sources, self.settings.size_at(self.step), self.generator)
        return clean, captured

    def letter(self, sources: Tensor) -> Tensor:
        """Some of the pictures under overlays, a few overlays for all of them."""
        settings, device = self.settings, self.device
        templates = torch.randint(
            len(self.sprites), (settings.templates,), generator=self.generator, device=device
        )
        unit = torch.rand((2, len(sources)), generator=self.generator, device=device)
        chosen = self.sprites[templates[(unit[0] * settings.templates).long()]]
        poster = (unit[1] < settings.poster_share)[:, None, None, None]
        return torch.where(poster, lay_over(sources, chosen), sources)

    def next_batch(self) -> Tensor:
        size = self.settings.batch
        if len(self.queue) < size or self.step % self.settings.mine_every == 0:
            self.queue = self.plan_pictures()
        batch, self.queue = self.queue[:size], self.queue[size:]
        return batch

    def plan_pictures(self) -> Tensor:
        """A shuffled epoch; once features mean something, pictures that look alike come into one batch.

        Features are computed once for all epochs until pictures are mined again.
        """
        every = self.settings.mine_every
        if not self.step >= every > 0:
            return torch.randperm(len(self.pixels), generator=self.generator, device=self.device)
        features = self.embed_all()
        epochs = math.ceil(every * self.settings.batch / len(features))
        return torch.cat([group_alike(features, self.settings.group, self.generator) for _ in range(epochs)])

    @torch.no_grad()
    def embed_all(self, size: int = 128, batch: int = 2048) -> Tensor:
        """Unit embeddings of all training pictures by the averaged network, small and fast."""
        rows = []
        for part in self.pixels.split(batch):
            small = functional.interpolate(
                part.permute(0, 3, 1, 2).float() / 255, (size, size), mode="bilinear", antialias=True
            )
            with torch.autocast(self.device.type, torch.bfloat16, enabled=self.device.type == "cuda"):
                rows.append(functional.normalize(self.averaged(small).float()))
        return torch.cat(rows)

    @torch.no_grad()
    def update_average(self) -> None:
        weight = 1 - min(self.settings.average, (1 + self.step) / (10 + self.step))
        ours: list[Tensor] = list(self.averaged.parameters())
        theirs: list[Tensor] = list(self.tower.parameters())
        torch._foreach_lerp_(ours, theirs, weight)
        for kept, current in zip(self.averaged.buffers(), self.tower.buffers(), strict=True):
            kept.copy_(current)

    def save(self, path: Path) -> None:
        parts: dict[str, Any] = {
            "tower": self.tower,
            "averaged": self.averaged,
            "text": self.text,
            "whitening": self.whitening,
            "optimizer": self.optimizer,
        }
        if not self.team.leads:
            return
        state: dict[str, Any] = {name: part.state_dict() for name, part in parts.items()}
        draws = {"generator": self.generator.get_state(), "queue": self.queue.clone()}
        Checkpoint(self.step, state | draws | {"about": self.about()}).save(path)

    def about(self) -> dict[str, Any]:
        """What a model's card should say of this run."""
        settings = self.settings
        return {
            "commit": current_commit(),
            "pictures": len(self.pixels),
            "steps": self.step,
            "batch": settings.batch * self.team.world,
            "seed": settings.seed,
        }

    def resume(self, path: Path) -> None:
        found = Checkpoint.latest(path, self.device)
        if found is None:
            return
        for name in ("tower", "averaged", "text", "whitening", "optimizer"):
            getattr(self, name).load_state_dict(found.state[name])
        self.step = found.step
        if self.team.leads:
            self.generator.set_state(found.state["generator"].cpu())
            self.queue = found.state.get("queue", self.queue)
        else:  # the checkpoint has the draws of the process that wrote it
            self.generator.manual_seed(derive_seed(self.settings.seed, "resumed", self.step, self.team.rank))

    def curve_path(self, out: Path) -> Path:
        return out / ("anchor.csv" if self.team.leads else f"anchor-{self.team.rank}.csv")


def channels_last(tower: ImageTower) -> ImageTower:
    """The layout in which depth-wise convolutions are fastest."""
    return tower.to(memory_format=torch.channels_last)  # type: ignore[call-overload,no-any-return]


def diagnose(features: Tensor) -> dict[str, Tensor]:
    """What shows a collapse: unrelated pictures alike, or few directions in use."""
    return {"impostor": off_diagonal_high(features), "rank": effective_rank(features)}


def off_diagonal_high(features: Tensor) -> Tensor:
    """The 99.9th percentile of the cosines of different pictures in a batch."""
    some = features[:512]
    cosines = (some @ some.T)[~torch.eye(len(some), dtype=torch.bool, device=some.device)]
    return torch.quantile(cosines, 0.999)


def effective_rank(features: Tensor) -> Tensor:
    """exp of the entropy of the covariance's spectrum: how many directions the features really use."""
    centred = features - features.mean(dim=0)
    spectrum = torch.linalg.svdvals(centred.float()[:1024]) ** 2
    share = spectrum / spectrum.sum()
    return torch.exp(-(share * torch.log(share.clamp_min(1e-12))).sum())
