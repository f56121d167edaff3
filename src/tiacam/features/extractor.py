"""The invariant feature extractor of S5: a residual MLP on the frozen encoder's embedding."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor, nn
from torch.nn import functional


@dataclass(frozen=True)
class ExtractorSettings:
    """Widths as printed in S5; `inputs` is the backbone's."""

    inputs: int = 768
    hidden: int = 1024
    bottleneck: int = 512
    outputs: int = 1024
    blocks: int = 3
    dropout: float = 0.1
    normalised: bool = True  # S5's optional ℓ2 at the output

    def __post_init__(self) -> None:
        if min(self.inputs, self.hidden, self.bottleneck, self.outputs, self.blocks) < 1:
            raise ValueError(f"widths must be positive: {self}")
        if not 0 <= self.dropout < 1:
            raise ValueError(f"dropout is a share below one, got {self.dropout}")


def dense(inputs: int, outputs: int, dropout: float) -> nn.Sequential:
    """Linear-BatchNorm-ReLU-Dropout."""
    return nn.Sequential(nn.Linear(inputs, outputs), nn.BatchNorm1d(outputs), nn.ReLU(), nn.Dropout(dropout))


class ResidualBlock(nn.Module):
    """h' = σ(BN₂(W₂ σ(BN₁(W₁ h))) + h), with dropout between the two layers (§3.2)."""

    def __init__(self, width: int, dropout: float) -> None:
        super().__init__()
        self.first = dense(width, width, dropout)
        self.second = nn.Sequential(nn.Linear(width, width), nn.BatchNorm1d(width))

    def forward(self, hidden: Tensor) -> Tensor:
        return functional.relu(self.second(self.first(hidden)) + hidden)


class Extractor(nn.Module):
    """Embeddings (B, 768) → invariant features (B, 1024)."""

    def __init__(self, settings: ExtractorSettings = ExtractorSettings()) -> None:  # noqa: B008  # frozen
        super().__init__()
        self.settings = settings
        self.expand = dense(settings.inputs, settings.hidden, settings.dropout)
        self.blocks = nn.Sequential(
            *(ResidualBlock(settings.hidden, settings.dropout) for _ in range(settings.blocks))
        )
        self.fusion = dense(settings.hidden, settings.hidden, settings.dropout)
        self.project = nn.Sequential(
            *dense(settings.hidden, settings.bottleneck, settings.dropout),
            nn.Linear(settings.bottleneck, settings.outputs),
            nn.BatchNorm1d(settings.outputs),
        )

    def forward(self, embedding: Tensor) -> Tensor:
        feature: Tensor = self.project(self.fusion(self.blocks(self.expand(embedding))))
        return functional.normalize(feature.float()) if self.settings.normalised else feature.float()
