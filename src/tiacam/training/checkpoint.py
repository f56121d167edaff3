"""Checkpoints from which an interrupted run goes on as if it had not stopped."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from pickle import UnpicklingError
from typing import Any

import torch

from tiacam.errors import DataError


@dataclass(frozen=True)
class Checkpoint:
    """A run's state after `step` steps; `state` holds the state dictionaries of its parts by their names."""

    step: int
    state: dict[str, Any]

    def save(self, path: Path) -> None:
        """Write to a neighbour first, so that a run killed while writing leaves the last whole checkpoint."""
        path.parent.mkdir(parents=True, exist_ok=True)
        partial = path.with_suffix(".partial")
        torch.save({"step": self.step, "state": self.state}, partial)
        partial.replace(path)

    @classmethod
    def load(cls, path: Path, device: torch.device | str = "cpu") -> Checkpoint:
        """Read what `save` wrote; the file may hold tensors and plain values only."""
        try:
            content = torch.load(path, map_location=device, weights_only=True)
            return cls(step=int(content["step"]), state=dict(content["state"]))
        except (OSError, RuntimeError, KeyError, ValueError, EOFError, UnpicklingError) as error:
            raise DataError(f"{path} is no checkpoint of this program: {error}") from error

    @classmethod
    def latest(cls, path: Path, device: torch.device | str = "cpu") -> Checkpoint | None:
        """The checkpoint at `path`, or None before the first one."""
        return cls.load(path, device) if path.exists() else None


def averaged_tower(path: Path) -> dict[str, torch.Tensor]:
    """The averaged weights in an anchor checkpoint or in a file of weights alone, in single precision."""
    content = torch.load(path, map_location="cpu", weights_only=True)
    weights: dict[str, torch.Tensor] = content.get("state", content)["averaged"]
    return {name: value.float() if value.is_floating_point() else value for name, value in weights.items()}
