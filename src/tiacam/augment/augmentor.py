"""T_aug = T_comp ∘ T_filter ∘ T_add ∘ T_photo ∘ T_geo ∘ T_moire (§3.1), from the display to the file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, Self

import torch
from torch import Tensor, nn

from .additive import Additive
from .compression import Compression
from .distortion import Distortion, Params, Strength, in_blocks
from .filtering import Filtering
from .moire import Moire
from .networks import LatentDecoder, PoseRegressor, SpreadFunction, UNet
from .perspective import Perspective
from .photometric import Photometric

# What is applied first comes first.
ORDER = (Moire.name, Perspective.name, Photometric.name, Additive.name, Filtering.name, Compression.name)
PAPER_WIDTH = 64

Strengths = Strength | Mapping[str, Strength]


@dataclass(frozen=True)
class Draw:
    """What was drawn for each chosen module, by its name and in the order of application."""

    params: Mapping[str, Params]

    def to(self, where: torch.device | str | torch.dtype) -> Draw:
        """The same draw on another device or in another floating-point type."""
        return Draw({name: params.to(where) for name, params in self.params.items()})

    def pick(self, index: Tensor | slice) -> Draw:
        """The draw of some pictures of the batch."""
        return Draw({name: params.pick(index) for name, params in self.params.items()})

    def detach(self) -> Draw:
        """The same values without their history."""
        return Draw({name: params.detach() for name, params in self.params.items()})

    def at(self, strength: Strength) -> Draw:
        """The same draw with every module at another strength."""
        return Draw({name: params.at(strength) for name, params in self.params.items()})


class Augmentor(Protocol):
    """What the learner needs of an augmentor, be it learned or made by hand."""

    def sample(
        self,
        shape: Sequence[int],
        generator: torch.Generator,
        strengths: Strengths = 1.0,
        only: Iterable[str] | None = None,
    ) -> Draw: ...

    def distort(self, image: Tensor, draw: Draw) -> Tensor: ...


class AutoAugmentor(nn.Module):
    """The composition of the six modules, or of those given.

    Strengths are one number, one for each picture (B,), or a mapping from module names to either; `only`
    picks the modules that take part.
    """

    def __init__(self, modules: Iterable[Distortion[Any]]) -> None:
        super().__init__()
        by_name = {module.name: module for module in modules}
        self.chain = nn.ModuleDict({name: by_name[name] for name in ORDER if name in by_name})

    @classmethod
    def build(cls, width: int | None = PAPER_WIDTH) -> Self:
        """All six with S5's networks, U-Nets and ResNet-18 of `width`; None leaves the operators alone."""
        if width is None:
            return cls([Moire(), Perspective(), Photometric(), Additive(), Filtering(), Compression()])
        return cls(
            [
                Moire(UNet(13, width)),
                Perspective(PoseRegressor(7, width)),
                Photometric(LatentDecoder(described=6)),
                Additive(LatentDecoder()),
                Filtering(SpreadFunction(5)),
                Compression(UNet(8, width)),
            ]
        )

    def distortion(self, name: str) -> Distortion[Any]:
        """One of the modules."""
        module = self.chain[name]
        assert isinstance(module, Distortion)
        return module

    def sample(
        self,
        shape: Sequence[int],
        generator: torch.Generator,
        strengths: Strengths = 1.0,
        only: Iterable[str] | None = None,
    ) -> Draw:
        """Draw for every module that takes part; those missing from a mapping of strengths do not."""
        names = [name for name in self.chain if only is None or name in set(only)]
        if isinstance(strengths, Mapping):
            names = [name for name in names if name in strengths]
            chosen = {name: strengths[name] for name in names}
        else:
            chosen = dict.fromkeys(names, strengths)
        return Draw({name: self.distortion(name).sample(shape, generator, chosen[name]) for name in names})

    def distort(self, image: Tensor, draw: Draw) -> Tensor:
        """Apply the modules of the draw one after another."""
        return in_blocks(self.chain_up, image, draw)

    def chain_up(self, image: Tensor, draw: Draw) -> Tensor:
        """The same for pictures that are few enough to go through together."""
        for name, params in draw.params.items():
            image = self.distortion(name).apply(image, params)
        return image

    def forward(self, image: Tensor, draw: Draw) -> Tensor:
        return self.distort(image, draw)

    def project_(self) -> None:
        """Return every bounded parameter to its limits, after an optimizer's step."""
        for name in self.chain:
            self.distortion(name).project_()
