"""Synthetic pairs: pictures, drawn parameters, and what a real distortion of those parameters makes of them."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from tiacam.augment import CompressionParams, Distortion, Params
from tiacam.progress import progress_bar

from .seeds import numpy_generator, torch_generator
from .targets import TARGETS, Pixels

THREADS = 16
CHUNK = 50  # pictures for one thread at a time


@dataclass(frozen=True)
class Pairs:
    """Pictures and targets as bytes on the device (N, 3, H, W), and the draw that leads from one to the other."""

    pictures: Tensor
    targets: Tensor
    params: Params

    def __len__(self) -> int:
        return len(self.pictures)

    def pick(self, index: Tensor) -> Pairs:
        """Some of the pairs."""
        return Pairs(self.pictures[index], self.targets[index], self.params.pick(index))

    def batch(self, index: Tensor) -> Batch:
        """Some of the pairs in [0, 1]."""
        return Batch(self.pictures[index] / 255, self.targets[index] / 255, self.params.pick(index))


@dataclass(frozen=True)
class Batch:
    """Pictures, targets (B, 3, H, W) in [0, 1] and the draw."""

    pictures: Tensor
    targets: Tensor
    params: Params


def make_pairs(
    module: Distortion[Any],
    pixels: Pixels,
    count: int,
    seed: int,
    device: torch.device,
    purpose: str = "train",
) -> Pairs:
    """`count` pairs of the module's kind, drawn from its whole limits, the same for the same seed.

    Every picture is used before any is used twice.
    """
    shuffle = numpy_generator(seed, module.name, purpose, "pictures")
    rounds = -(-count // len(pixels))
    chosen = np.concatenate([shuffle.permutation(len(pixels)) for _ in range(rounds)])[:count]
    pictures = pixels[chosen]
    params = draw_widely(module, (count, 3, *pixels.shape[1:3]), torch_generator(seed, module.name, purpose))
    targets = make_targets(module.name, pictures, params)
    return Pairs(to_planes(pictures).to(device), to_planes(targets).to(device), params.to(device))


@torch.no_grad()
def draw_widely(module: Distortion[Any], shape: tuple[int, ...], generator: torch.Generator) -> Params:
    """A draw from all that is plausible, since adversarial training may take a range anywhere inside."""
    opened = deepcopy(module).cpu()
    for learnable in opened.ranges().values():
        learnable.open_()
    params: Params = opened.sample(shape, generator)
    return settle_codecs(params) if isinstance(params, CompressionParams) else params


def settle_codecs(params: CompressionParams) -> CompressionParams:
    """What real codecs can do: whole qualities, no mask of their own, and every fourth picture in WebP."""
    webp = (torch.arange(len(params.webp)) % 4 == 0).to(params.webp.dtype)
    return replace(params, quality=params.quality.round(), mask=torch.ones_like(params.mask), webp=webp)


def make_targets(name: str, pictures: Pixels, params: Params) -> Pixels:
    """What the real distortion makes of the pictures, by threads."""
    drawn = {field.name: getattr(params, field.name).numpy() for field in fields(params)}
    starts = range(0, len(pictures), CHUNK)

    def make(start: int) -> Pixels:
        part = slice(start, start + CHUNK)
        return TARGETS[name](pictures[part], pick_rows(drawn, part))

    with ThreadPoolExecutor(THREADS) as pool:
        return np.concatenate(list(progress_bar(pool.map(make, starts), f"{name} targets", len(starts))))


def pick_rows(drawn: Mapping[str, NDArray[np.float32]], part: slice) -> dict[str, NDArray[np.float32]]:
    return {name: values[part] for name, values in drawn.items()}


def to_planes(pixels: Pixels) -> Tensor:
    """(N, H, W, 3) to (N, 3, H, W)."""
    return torch.from_numpy(np.ascontiguousarray(pixels.transpose(0, 3, 1, 2)))
