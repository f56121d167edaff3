"""Seeds that belong to a purpose, so that adding one random step does not shift all others."""

from __future__ import annotations

import hashlib

import numpy as np
import torch


def derive_seed(seed: int, *purpose: str | int) -> int:
    """A 63-bit seed for one purpose of a run, the same on every machine."""
    digest = hashlib.sha256(repr((seed, *purpose)).encode()).digest()
    return int.from_bytes(digest[:8], "big") >> 1


def torch_generator(seed: int, *purpose: str | int, device: torch.device | str = "cpu") -> torch.Generator:
    return torch.Generator(device).manual_seed(derive_seed(seed, *purpose))


def numpy_generator(seed: int, *purpose: str | int) -> np.random.Generator:
    return np.random.default_rng(derive_seed(seed, *purpose))
