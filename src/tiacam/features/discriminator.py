"""The pair discriminator of S5: a small transformer over [CLS], a picture's feature and a caption's embedding."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

REAL = 1  # the logit of a matched pair; 0 is that of a mismatched one


@dataclass(frozen=True)
class DiscriminatorSettings:
    """Widths as printed in S5."""

    inputs: int = 1024  # the wider of feature and caption
    hidden: int = 512
    blocks: int = 4
    heads: int = 8
    expansion: int = 4
    dropout: float = 0.1

    def __post_init__(self) -> None:
        if self.hidden % self.heads:
            raise ValueError(f"{self.heads} heads do not divide a width of {self.hidden}")


class TransformerBlock(nn.Module):
    """Pre-norm: x + attention(LN(x)), then x + MLP(LN(x)) with GELU and dropout."""

    def __init__(self, settings: DiscriminatorSettings) -> None:
        super().__init__()
        width = settings.hidden
        self.attention_norm, self.mlp_norm = nn.LayerNorm(width), nn.LayerNorm(width)
        self.attention = nn.MultiheadAttention(
            width, settings.heads, dropout=settings.dropout, batch_first=True
        )
        self.mlp = nn.Sequential(
            nn.Linear(width, settings.expansion * width),
            nn.GELU(),
            nn.Dropout(settings.dropout),
            nn.Linear(settings.expansion * width, width),
            nn.Dropout(settings.dropout),
        )

    def forward(self, tokens: Tensor) -> Tensor:
        normed = self.attention_norm(tokens)
        tokens = tokens + self.attention(normed, normed, normed, need_weights=False)[0]
        out: Tensor = tokens + self.mlp(self.mlp_norm(tokens))
        return out


class Discriminator(nn.Module):
    """(features (B, n), captions (B, m)) → two logits (B, 2): mismatched, matched.

    One projection W serves both, as printed; where one of them is narrower, it is padded with zeros (decision 0006).
    """

    def __init__(self, settings: DiscriminatorSettings = DiscriminatorSettings()) -> None:  # noqa: B008  # frozen
        super().__init__()
        self.settings = settings
        self.project = nn.Linear(settings.inputs, settings.hidden)
        self.class_token = nn.Parameter(0.02 * torch.randn(settings.hidden))
        self.blocks = nn.Sequential(*(TransformerBlock(settings) for _ in range(settings.blocks)))
        self.norm = nn.LayerNorm(settings.hidden)
        self.head = nn.Linear(settings.hidden, 2)

    def forward(self, feature: Tensor, caption: Tensor) -> Tensor:
        pair = torch.stack([self.pad(feature), self.pad(caption)], dim=1)  # (B, 2, inputs)
        start = self.class_token.expand(len(pair), 1, -1)
        tokens = torch.cat([start, self.project(pair)], dim=1)  # (B, 3, hidden)
        logits: Tensor = self.head(self.norm(self.blocks(tokens))[:, 0])
        return logits.float()

    def pad(self, vector: Tensor) -> Tensor:
        return functional.pad(vector, (0, self.settings.inputs - vector.shape[1]))
