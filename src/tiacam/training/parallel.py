"""Several processes that train one model under torchrun: each on its own part of a batch, gradients averaged."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch
import torch.distributed as distributed
from torch import Tensor, nn

from tiacam.training.devices import pick_device


@dataclass(frozen=True)
class Team:
    """This process's place among those that train together; alone unless torchrun started it."""

    rank: int = 0
    world: int = 1
    local_rank: int = 0

    @classmethod
    def from_environment(cls) -> Team:
        """As torchrun describes it."""
        return cls(*(int(os.environ.get(name, low)) for name, low in PLACES))

    @property
    def leads(self) -> bool:
        """One process writes curves and checkpoints."""
        return self.rank == 0

    def pick_device(self, name: str = "auto") -> torch.device:
        """The device of this process: with several GPUs in a machine, each takes its own."""
        device = pick_device(name)
        if device.type == "cuda" and self.world > 1:
            torch.cuda.set_device(self.local_rank)
            return torch.device("cuda", self.local_rank)
        return device

    def share(self, optimizer: torch.optim.Optimizer) -> None:
        """From now on every step of this optimizer uses the mean of all processes' gradients."""
        if self.world > 1:
            optimizer.register_step_pre_hook(average_step)

    def settle(self, modules: Iterable[nn.Module]) -> None:
        """Statistics of batches become those of all processes, so that the models stay the same everywhere."""
        if self.world > 1:
            average(
                [buffer for module in modules for buffer in module.buffers() if buffer.is_floating_point()]
            )

    def agree(self, flag: bool, device: torch.device) -> bool:
        """Whether any process says yes."""
        if self.world == 1:
            return flag
        said = torch.tensor(float(flag), device=device)
        distributed.all_reduce(said)
        return said.item() > 0


PLACES = (("RANK", 0), ("WORLD_SIZE", 1), ("LOCAL_RANK", 0))


@contextmanager
def joined(team: Team, device: torch.device) -> Iterator[None]:
    """The processes of a team connected: NCCL between GPUs, gloo between CPUs."""
    if team.world == 1:
        yield
        return
    distributed.init_process_group("nccl" if device.type == "cuda" else "gloo")
    try:
        yield
    finally:
        distributed.destroy_process_group()


def average_step(optimizer: torch.optim.Optimizer, *_: Any) -> None:
    """Gradients of all parameters, averaged; a process for which one had no effect counts with zero."""
    gradients = []
    for group in optimizer.param_groups:
        for parameter in group["params"]:
            if parameter.grad is None:
                parameter.grad = torch.zeros_like(parameter)
            gradients.append(parameter.grad)
    average(gradients)


def average(tensors: list[Tensor]) -> None:
    """The mean over all processes, in place, in one message."""
    flat = torch.cat([tensor.flatten() for tensor in tensors])
    distributed.all_reduce(flat)
    flat /= distributed.get_world_size()
    for tensor, part in zip(tensors, flat.split([tensor.numel() for tensor in tensors]), strict=True):
        tensor.copy_(part.view_as(tensor))
