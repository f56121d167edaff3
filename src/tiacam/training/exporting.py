"""A checkpoint → a model that ships: ONNX file and card.

    tiacam export --checkpoint runs/anchor/anchor.pt --data SHARDS --unseen FLICKR8K.tar --out DIR
    tiacam export --checkpoint runs/tiacam/tiacam.pt --backbone runs/anchor/anchor.pt --data SHARDS ...
    tiacam export --checkpoint anchor-3.onnx --precision int8 --size 192 --data SHARDS ...

Axes and whitening are measured on pictures of the last shard but one, the null on pictures that training never saw.
The card holds the file's sha256, the training commit and data as far as the checkpoint knows them, the largest
difference between ONNX and torch, and what storing the weights in fp16 or int8 costs. Cost: some minutes on two cores
for 6,000 pictures.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from torch import Tensor, nn

from tiacam.data import read_pictures
from tiacam.errors import DataError, ModelFileError, UsageError
from tiacam.features.anchor import EMBEDDING, ImageTower
from tiacam.features.anchor_encoder import AnchorEncoder, read_weights, widened
from tiacam.features.clip import ClipEncoder
from tiacam.features.dual import DualEncoder
from tiacam.features.extractor import Extractor, ExtractorSettings
from tiacam.model import ModelCard
from tiacam.model.card import read_card
from tiacam.training.export import Description
from tiacam.training.precision import Precision
from tiacam.training.restoring import restore_tower
from tiacam.training.shipping import ship

FITTED = 64  # pictures on which the normalisations of an exported anchor are fitted
OF_THE_FILE = ("precision", "onnx_against_torch", "fidelity", "whitening")  # in a card, not of the training


@dataclass(frozen=True)
class ExportRun:
    """Everything that an export depends on."""

    checkpoint: Path  # of training, or an exported anchor (.onnx) with its card beside it
    out: Path
    data: Path  # folder with shard-*.tar
    unseen: Path  # tar of pictures that training never saw
    backbone: Path | None = None  # of a checkpoint of the text-anchored stage: the anchor ...
    clip: str | None = None  # ... or a CLIP
    name: str = "model"
    version: str = "0"
    summary: str = "exported from a checkpoint"
    precision: Precision = Precision.FP16
    size: int = 224
    pictures: int = 6000
    training: Path | None = None  # JSON object that the card's training section gets besides


class TiacamTower(nn.Module):
    """The frozen image encoder and the extractor, as one tower."""

    def __init__(self, encoder: DualEncoder, extractor: Extractor) -> None:
        super().__init__()
        self.encoder, self.extractor = encoder, extractor

    def forward(self, image: Tensor) -> Tensor:
        feature: Tensor = self.extractor(self.encoder.embed_images(image))
        return feature


@dataclass(frozen=True)
class Trained:
    """A tower, how many independent axes its features can have, and what its checkpoint knows of its training."""

    tower: nn.Module
    width: int
    about: Mapping[str, Any]


def export(run: ExportRun) -> ModelCard:
    """Write NAME.onnx and NAME.json to `run.out`."""
    shards = sorted(run.data.glob("shard-*.tar"))
    if not shards:
        raise DataError(f"{run.data} holds no shard-*.tar")
    pixels = read_pictures(shards[-2:][:1], run.size, run.pictures)
    trained = load_trained(run, pixels[:FITTED])
    description = Description(
        name=run.name,
        version=run.version,
        summary=run.summary,
        preprocessing=f"sRGB squashed to {run.size}x{run.size}, uint8 NHWC; scaling is inside the graph",
        unseen=run.unseen.stem,
        training={
            "checkpoint": run.checkpoint.name,
            **trained.about,
            **read_training(run.training),
            "whitening": f"axes and scale from {len(pixels):,} of the training pictures",
        },
    )
    unseen = read_pictures([run.unseen], run.size)
    width = min(trained.width, len(pixels) // 2)
    return ship(trained.tower, pixels, unseen, width, description, run.out, run.precision)


def load_trained(run: ExportRun, some: NDArray[np.uint8]) -> Trained:
    """An anchor, or the text-anchored stage with the backbone that it was trained on."""
    if run.checkpoint.suffix == ".onnx":
        return load_shipped(run.checkpoint, some)
    state = read_weights(run.checkpoint)
    if "extractor" in state:
        return load_tiacam(run, state)
    if "averaged" not in state:
        raise ModelFileError(
            f"{run.checkpoint} is no checkpoint of `tiacam train anchor` or `tiacam train tiacam`"
        )
    return Trained(ImageTower.of(widened(state["averaged"])), EMBEDDING, dict(state.get("about", {})))


def load_shipped(path: Path, some: NDArray[np.uint8]) -> Trained:
    """An exported anchor, to be stored in another precision; `some` pictures tell how large its activations are."""
    card = read_card(path.with_suffix(".json"))
    about = {name: value for name, value in card.training.items() if name not in OF_THE_FILE}
    return Trained(restore_tower(path, some), card.feature_width, {**about, "from": card.id})


def load_tiacam(run: ExportRun, state: Mapping[str, Any]) -> Trained:
    about = dict(state.get("about", {}))
    encoder: DualEncoder
    if run.clip:
        encoder = ClipEncoder.load(run.clip)
    elif run.backbone:
        encoder = AnchorEncoder.load(run.backbone)
    else:
        raise UsageError("a checkpoint of the text-anchored stage needs its backbone: --backbone or --clip")
    settings = ExtractorSettings(**about.get("extractor", {"inputs": encoder.width}))
    extractor = Extractor(settings)
    try:
        extractor.load_state_dict(widened(state["extractor"]))
    except RuntimeError as error:
        raise ModelFileError(f"{run.checkpoint} does not fit its backbone: {error}") from error
    return Trained(TiacamTower(encoder, extractor), settings.bottleneck, about)


def read_training(path: Path | None) -> dict[str, Any]:
    if path is None:
        return {}
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise DataError(f"{path} holds no JSON: {error}") from error
    if not isinstance(value, dict):
        raise DataError(f"{path} holds no JSON object")
    return value
