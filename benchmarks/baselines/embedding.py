"""Features of any model: a shipped one by its name or card, a baseline or a checkpoint by its weights (.pt)."""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import torch
from benchmarks.baselines.saving import budget_of, read, widen
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from tiacam.features.anchor import EMBEDDING, ImageTower
from tiacam.model import Whitening, card_path, load_model, read_card
from tiacam.training.devices import pick_device

SIZE = 224  # of a tower whose weights do not say theirs; a shipped model has its own
BATCH = 200

Features = NDArray[np.float32]
Pixels = NDArray[np.uint8]


@dataclass(frozen=True)
class Embedder:
    """A model under one name: pixels (N, size, size, 3) → unit features before whitening (N, D)."""

    id: str  # name and the beginning of the file's hash
    embed: Callable[[Pixels], Features]
    whitening: Whitening | None
    size: int = SIZE
    training: Mapping[str, float] = field(default_factory=dict)  # seconds and steps, of baselines

    @property
    def name(self) -> str:
        return self.id.partition("@")[0]


def open_embedder(model: str, device: str = "auto") -> Embedder:
    """By name, card (.json) or weights (.pt, with the name of the file)."""
    return open_weights(Path(model), device) if model.endswith(".pt") else open_shipped(model)


def open_shipped(model: str) -> Embedder:
    """A model file of the package or beside a card, with its whitening taken out of the card."""
    path = card_path(model)
    card = read_card(path)
    width = card.feature_width
    plain = replace(card, whitening=Whitening(np.zeros(width, np.float32), np.ones(width, np.float32)))
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / card.file).write_bytes((path.parent / card.file).read_bytes())
        beside = Path(folder) / "plain.json"
        beside.write_text(json.dumps(plain.to_json()), encoding="utf-8")
        return Embedder(card.id, load_model(beside).extract, card.whitening, card.input_size)


def open_weights(path: Path, device: str) -> Embedder:
    """A baseline with its axes, or a checkpoint of the anchor with neither axes nor whitening."""
    content = read(path)
    content = content.get("state", content)
    tower = ImageTower.of(widen(content["tower"] if "tower" in content else content["averaged"]))
    place = pick_device(device)
    axes = content["axes"].float().to(place) if "axes" in content else torch.eye(EMBEDDING, device=place)
    whitening = None
    if "deviation" in content:
        mean, deviation = (content[key].float().numpy() for key in ("mean", "deviation"))
        whitening = Whitening(mean, np.asarray(1 / np.maximum(deviation, 1e-6), np.float32))
    digest = hashlib.sha256(path.read_bytes()).hexdigest()[:12]
    summary = content.get("summary", {})
    embedding = TowerEmbedding(tower.to(place).eval(), axes)
    size = int(summary.get("shown", content.get("about", {}).get("shown", SIZE)))
    return Embedder(f"{path.stem}@{digest}", embedding, whitening, size, budget_of(summary))


@dataclass(frozen=True)
class TowerEmbedding:
    """A tower on a device as a function of pixels."""

    tower: ImageTower
    axes: Tensor

    @torch.no_grad()
    def __call__(self, pixels: Pixels) -> Features:
        rows = []
        for part in torch.from_numpy(pixels).split(BATCH):
            shown = part.to(self.axes.device).permute(0, 3, 1, 2).float() / 255
            rows.append(functional.normalize(functional.normalize(self.tower(shown)) @ self.axes).cpu())
        return torch.cat(rows).numpy()
