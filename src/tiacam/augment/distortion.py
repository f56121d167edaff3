"""The contract that the six modules share: draw parameters, then apply them; any draw can be replayed."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from typing import ClassVar, Generic, Protocol, Self, TypeVar

import torch
from torch import Tensor, nn

from .ranges import Dice, LearnableRange

Strength = float | Tensor
# Pictures whose intermediate results fit the cache of one core together.
BLOCK = 16


@dataclass(frozen=True)
class Params:
    """One draw for a batch: every field is a tensor whose first dimension is the picture.

    The drawn values are those of full strength; `strength` in [0, 1] (B,) says how much of them is applied,
    so that one draw can be shown at several strengths.
    """

    strength: Tensor

    def to(self, where: torch.device | str | torch.dtype) -> Self:
        """The same draw on another device or in another floating-point type."""
        return self._map(lambda value: value.to(where))

    def pick(self, index: Tensor | slice) -> Self:
        """The draw of some pictures of the batch."""
        return self._map(lambda value: value[index])

    def detach(self) -> Self:
        """The same values without their history."""
        return self._map(lambda value: value.detach())

    def at(self, strength: Strength) -> Self:
        """The same draw at another strength."""
        if isinstance(strength, Tensor):
            return replace(self, strength=strength.to(self.strength).expand_as(self.strength))
        return replace(self, strength=torch.full_like(self.strength, strength))

    def _map(self, change: Callable[[Tensor], Tensor]) -> Self:
        return type(self)(**{field.name: change(getattr(self, field.name)) for field in fields(self)})


P = TypeVar("P", bound=Params)


class Distortion(nn.Module, ABC, Generic[P]):
    """A differentiable camera distortion: a closed-form operator with bounded ranges, and a network on top.

    Pictures are (B, 3, H, W) in [0, 1] before and after. Nothing couples the pictures of a batch, and
    strength zero is the identity. `network` may be None: then the module is its operator of §3.1 alone.
    """

    # `apply` is the paper's verb; the initialising method of that name in nn.Module is given up for it.
    name: ClassVar[str]
    network: nn.Module | None

    @abstractmethod
    def sample(self, shape: Sequence[int], generator: torch.Generator, strength: Strength = 1.0) -> P:
        """Draw for pictures of `shape` (B, 3, H, W), differentiably in the learnable ranges."""

    @abstractmethod
    def apply(self, image: Tensor, params: P) -> Tensor:  # type: ignore[override]
        """The distorted pictures; the same params give the same pictures."""

    def forward(self, image: Tensor, params: P) -> Tensor:
        """`apply`, on a CPU block by block."""
        return in_blocks(self.apply, image, params)

    def ranges(self) -> dict[str, LearnableRange]:
        """Every learnable range by its name."""
        return {name: module for name, module in self.named_modules() if isinstance(module, LearnableRange)}

    @torch.no_grad()
    def project_(self) -> None:
        """Return every bounded parameter to its limits, after an optimizer's step."""
        for learnable in self.ranges().values():
            learnable.project_()

    def dice(self, generator: torch.Generator) -> Dice:
        """Random numbers on this module's device."""
        parameter = next(self.parameters())
        return Dice(generator, parameter.device, parameter.dtype)

    def spread_strength(self, shape: Sequence[int], strength: Strength) -> Tensor:
        """One strength for each picture of the batch (B,)."""
        parameter = next(self.parameters())
        if isinstance(strength, Tensor):
            return strength.to(parameter).expand(shape[0])
        return torch.full((shape[0],), float(strength), dtype=parameter.dtype, device=parameter.device)


@contextmanager
def full_precision(image: Tensor) -> Iterator[None]:
    """Switch autocast and TF32 off: a homography or a DCT in ten bits would be a distortion of its own."""
    before = torch.get_float32_matmul_precision()
    if before != "highest":
        torch.set_float32_matmul_precision("highest")
    try:
        with torch.autocast(image.device.type, enabled=False):
            yield
    finally:
        if before != "highest":
            torch.set_float32_matmul_precision(before)


class Drawn(Protocol):
    """What was drawn for a batch, of which a part can be picked."""

    def pick(self, index: slice) -> Self: ...


D = TypeVar("D", bound=Drawn)


def in_blocks(distort: Callable[[Tensor, D], Tensor], image: Tensor, drawn: D) -> Tensor:
    """Distort a batch; on a CPU in blocks that fit its cache, which the pictures' independence allows."""
    if image.is_cuda or len(image) <= BLOCK:
        return distort(image, drawn)
    starts = range(0, len(image), BLOCK)
    parts = torch.split(image, BLOCK)
    return torch.cat(
        [
            distort(part, drawn.pick(slice(start, start + BLOCK)))
            for start, part in zip(starts, parts, strict=True)
        ]
    )


def trim(image: Tensor) -> Tensor:
    """Cut off the last bit by which a weighted mean of values in [0, 1] can leave the interval, in place.

    The gradient is left alone: a mean has no saturation to account for.
    """
    with torch.no_grad():
        image.clamp_(0.0, 1.0)
    return image


def per_picture(value: Tensor) -> Tensor:
    """Shape a (B,) or (B, C) parameter so that it multiplies pictures."""
    return value.reshape(*value.shape, *[1] * (4 - value.ndim))
