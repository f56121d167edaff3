"""What a training run leaves: weights in fp16, its curve and what it was, in one file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

LARGEST = 16 * 2**20
BUDGET = ("seconds", "steps", "batch")

Curve = Sequence[Mapping[str, float]]


def halve(state: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Weights as they are kept: fp16 and contiguous, on the CPU."""
    return {
        name: (value.half() if value.is_floating_point() else value).detach().contiguous().cpu()
        for name, value in state.items()
    }


def widen(state: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Weights as they are used: fp32."""
    return {name: value.float() if value.is_floating_point() else value for name, value in state.items()}


def budget_of(summary: Mapping[str, Any]) -> dict[str, float]:
    """What a training was given, for the record of what came out of it."""
    return {name: float(summary[name]) for name in BUDGET if name in summary}


def save(path: Path, content: Mapping[str, Any]) -> None:
    """Write plain values and tensors; a file too large to travel is an error at once, not after the run."""
    path.parent.mkdir(parents=True, exist_ok=True)
    torch.save(dict(content), path)
    if path.stat().st_size > LARGEST:
        raise ValueError(f"{path} has {path.stat().st_size} bytes, wanted at most {LARGEST}")


def read(path: Path) -> dict[str, Any]:
    content: dict[str, Any] = torch.load(path, map_location="cpu", weights_only=True)
    return content
