"""Where a run computes."""

from __future__ import annotations

import torch

from tiacam.errors import UsageError


def pick_device(name: str = "auto") -> torch.device:
    """`auto` is the GPU where there is one."""
    if name == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    device = torch.device(name)
    if device.type == "cuda" and not torch.cuda.is_available():
        raise UsageError("--device cuda was asked for, but torch sees no GPU; use --device auto")
    return device


def describe_device(device: torch.device) -> str:
    """The device's name for a record."""
    return torch.cuda.get_device_name(device) if device.type == "cuda" else "cpu"
