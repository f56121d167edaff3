"""Small tables of numbers, put on each device once: copying them at every step would make the device wait."""

from __future__ import annotations

import torch
from torch import Tensor

Numbers = tuple["float | Numbers", ...]


class Table:
    """Numbers that become a tensor where they are needed."""

    def __init__(self, numbers: Numbers) -> None:
        self.numbers = numbers
        self._placed: dict[tuple[torch.dtype, torch.device], Tensor] = {}

    def like(self, other: Tensor) -> Tensor:
        """The numbers where `other` lives and of its type; not to be written to."""
        key = (other.dtype, other.device)
        if key not in self._placed:
            with torch.inference_mode(False):  # a tensor made in that mode could never be part of a gradient
                self._placed[key] = (
                    torch.tensor(self.numbers, dtype=torch.float64).to(other.dtype).to(other.device)
                )
        return self._placed[key]
