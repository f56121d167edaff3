"""`anchor`: the compact dual encoder whose image tower ships in the package (§3.2, decision 2 of the design).

The image tower is an EfficientNet-Lite0 with generalised-mean pooling and a linear projection; captions come from a
frozen sentence encoder and get a trained projection into the same 768-d space. The text side serves training alone.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional

from tiacam.errors import UsageError
from tiacam.features.efficientnet import (
    FEATURE_CHANNELS,
    INPUT_MEAN,
    INPUT_SCALE,
    LITE0_STAGES,
    EfficientNetLite0,
    Stage,
    stages_of,
)

EMBEDDING = 768
SENTENCE_WIDTH = 384  # MiniLM-L6
START_TEMPERATURE = 0.07


class GeneralisedMean(nn.Module):
    """(mean x^p)^(1/p) over space with a learned p: between the mean and the maximum."""

    def __init__(self, power: float = 3.0) -> None:
        super().__init__()
        self.power = nn.Parameter(torch.tensor(power))

    def forward(self, activation: Tensor) -> Tensor:
        power = self.power.clamp(1.0, 8.0)
        positive = activation.float().clamp_min(1e-6)
        return positive.pow(power).mean(dim=(2, 3)).pow(1 / power)


class ImageTower(nn.Module):
    """Pictures (B, 3, S, S) in [0, 1] → embeddings (B, 768), not normalised."""

    def __init__(self, stages: Sequence[Stage] = LITE0_STAGES) -> None:
        super().__init__()
        self.backbone = EfficientNetLite0(stages)
        self.pool = GeneralisedMean()
        self.norm = nn.BatchNorm1d(FEATURE_CHANNELS)
        self.project = nn.Linear(FEATURE_CHANNELS, EMBEDDING)

    def forward(self, image: Tensor) -> Tensor:
        scaled = (image * 255.0 - INPUT_MEAN) / INPUT_SCALE
        pooled = self.pool(self.backbone(scaled))  # (B, 1280)
        embedding: Tensor = self.project(self.norm(pooled))
        return embedding

    @classmethod
    def of(cls, weights: Mapping[str, Tensor]) -> ImageTower:
        """The tower that these weights are of, as deep as they are."""
        projections = {
            int(name.split(".")[2]): tensor.shape[0]
            for name, tensor in weights.items()
            if name.startswith("backbone.blocks.") and name.endswith(".project.weight")
        }
        tower = cls(stages_of([projections[index] for index in sorted(projections)]))
        tower.load_state_dict(weights)
        return tower

    def deepened(self, stages: Sequence[Stage]) -> ImageTower:
        """A tower with more blocks that computes the same: the new ones do nothing until they are trained."""
        if any(new.repeats < old.repeats for new, old in zip(stages, self.backbone.stages, strict=True)):
            raise UsageError("a tower can be made deeper, not shallower")
        deeper = ImageTower(stages)
        deeper.backbone.load_shallower(self.backbone)
        for name in ("pool", "norm", "project"):
            getattr(deeper, name).load_state_dict(getattr(self, name).state_dict())
        return deeper


class TextProjection(nn.Module):
    """Sentence embeddings (B, 384) → the joint space (B, 768); the temperature of the CLIP loss lives here."""

    def __init__(self, width: int = SENTENCE_WIDTH) -> None:
        super().__init__()
        self.project = nn.Sequential(nn.Linear(width, EMBEDDING), nn.GELU(), nn.Linear(EMBEDDING, EMBEDDING))
        self.log_scale = nn.Parameter(torch.tensor(math.log(1 / START_TEMPERATURE)))

    def forward(self, sentence: Tensor) -> Tensor:
        return functional.normalize(self.project(sentence))

    @property
    def scale(self) -> Tensor:
        return self.log_scale.clamp(max=math.log(100.0)).exp()
