"""A frozen sentence encoder (MiniLM or another of its kind) from a folder in the Hugging Face layout."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from tiacam.errors import ModelFileError

LONGEST = 48  # tokens; captions are short


class SentenceEncoder(nn.Module):
    """Sentences → unit vectors (B, width): the mean of the last layer over the tokens that are no padding."""

    def __init__(self, network: Any, tokenizer: Any) -> None:
        super().__init__()
        self.network = network.eval().requires_grad_(False)
        self.tokenizer = tokenizer
        self.width = int(network.config.hidden_size)

    @classmethod
    def load(cls, source: str) -> SentenceEncoder:
        """From a local folder or a hub name."""
        from transformers import AutoModel, AutoTokenizer

        try:
            return cls(AutoModel.from_pretrained(source), AutoTokenizer.from_pretrained(source))
        except (OSError, ValueError) as error:
            raise ModelFileError(f"{source} holds no sentence encoder: {error}") from error

    @torch.no_grad()
    def forward(self, sentences: Sequence[str]) -> Tensor:
        device = next(self.network.parameters()).device
        tokens = self.tokenizer(
            list(sentences), padding=True, truncation=True, max_length=LONGEST, return_tensors="pt"
        ).to(device)
        hidden = self.network(**tokens).last_hidden_state  # (B, L, width)
        real = tokens["attention_mask"][..., None].to(hidden.dtype)
        return functional.normalize((hidden * real).sum(1) / real.sum(1))
