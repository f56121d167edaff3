"""Mark pictures in feature space (ZBW, WSSL) and read them after the digital attacks of S4: the slow half.

    python -m benchmarks.baselines.latent.readings --data heldout/coco.tar --n 40 --out latent.npz

ZBW (Vukotić et al. 2020) marks one bit in an ImageNet classifier's features (`bootstrap-0`), without changes during
marking. WSSL (Fernandez et al. 2022) marks 30 bits in our backbone's features, under random changes. Both through the
shipped files, whitened as their cards say.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from concurrent.futures import Executor
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from benchmarks.baselines.attacking import attack_all, open_pool
from benchmarks.baselines.latent.marking import (
    MarkSettings,
    cone_cosine,
    cone_loss,
    hinge_loss,
    keep,
    keyed_directions,
    mark,
    vary,
)
from benchmarks.onnx_torch import WholeModel
from numpy.typing import NDArray
from torch import Tensor

from tiacam.capture.attacks import Group, attacks_of
from tiacam.data import read_pictures
from tiacam.model import DEFAULT_MODEL
from tiacam.training.devices import pick_device
from tiacam.training.metrics import psnr, ssim

BITS = 30
MARGIN = 0.1  # of a unit feature along each of 30 directions: together they leave it 30 % of its length
RATE = 1e-6
BATCH = 20

Pixels = NDArray[np.uint8]
Readings = dict[str, NDArray[Any]]


def to_tensor(pictures: Pixels, device: torch.device) -> Tensor:
    return torch.from_numpy(pictures).to(device).permute(0, 3, 1, 2).float() / 255


def to_pixels(pictures: Tensor) -> Pixels:
    rounded = (pictures.clamp(0, 1) * 255).round().to(torch.uint8).permute(0, 2, 3, 1)
    return np.ascontiguousarray(rounded.cpu().numpy())


@torch.no_grad()
def project(space: WholeModel, pictures: Pixels, directions: Tensor) -> NDArray[np.float32]:
    """Cosines (N, K) of the pictures' features with the key's directions."""
    device = directions.device
    parts = [to_tensor(pictures[start : start + BATCH], device) for start in range(0, len(pictures), BATCH)]
    rows = [space(part) @ directions for part in parts]
    return torch.cat(rows).cpu().numpy()


def mark_all(
    space: WholeModel, pictures: Pixels, directions: Tensor, messages: Tensor | None, settings: MarkSettings
) -> Pixels:
    """All pictures marked: with messages of signs (N, K) as WSSL does it, without as ZBW does."""
    cosine = cone_cosine(space.width, RATE)
    marked = []
    for start in range(0, len(pictures), BATCH):
        cover = to_tensor(pictures[start : start + BATCH], directions.device)
        if messages is None:
            found = mark(
                space, cover, partial(cone_loss, direction=directions, cosine=cosine), keep, settings
            )
        else:
            wanted = messages[start : start + BATCH]
            objective = partial(hinge_loss, directions=directions, wanted=wanted, margin=MARGIN)
            found = mark(space, cover, objective, vary, settings)
        marked.append(to_pixels(found))
    return np.concatenate(marked)


def collect(
    space: WholeModel,
    pictures: Pixels,
    directions: Tensor,
    messages: Tensor | None,
    pool: Executor,
    settings: MarkSettings,
) -> Readings:
    """Cosines with the key after every attack, of marked and of unmarked pictures, and what the mark cost."""
    marked = mark_all(space, pictures, directions, messages, settings)
    here = torch.device("cpu")
    first, second = to_tensor(pictures, here), to_tensor(marked, here)
    found: Readings = {"psnr": psnr(first, second).numpy(), "ssim": ssim(first, second).numpy()}
    found["width"] = np.array(space.width)
    found["model"] = np.array(space.model)
    if messages is not None:
        found["messages"] = (messages > 0).cpu().numpy().astype(np.uint8)
    for prefix, shown in (("marked", marked), ("unmarked", pictures)):
        for attack in attacks_of(Group.DIGITAL):
            changed = attack_all(pool, list(shown), attack.name, space.size, settings.seed)
            found[f"{prefix}/{attack.paper}"] = project(space, changed, directions)
    return found


def draw_messages(count: int, seed: int) -> Tensor:
    """Signs (N, BITS)."""
    drawn = torch.rand((count, BITS), generator=torch.Generator().manual_seed(seed))
    return torch.where(drawn < 0.5, -1.0, 1.0)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--model", default=DEFAULT_MODEL, help="a shipped model's name or a card (%(default)s)"
    )
    parser.add_argument("--data", type=Path, required=True, help="tar of held-out pictures")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--n", type=int, default=40)
    parser.add_argument("--iterations", type=int, default=MarkSettings.iterations)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--device", default="auto")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)

    device = pick_device(options.device)
    settings = MarkSettings(iterations=options.iterations, seed=options.seed)
    found: Readings = {"seed": np.array(options.seed)}
    with open_pool(options.workers) as pool:
        for name, space, bits in (
            ("zbw", WholeModel("bootstrap-0"), 1),
            ("wssl", WholeModel(options.model), BITS),
        ):
            pictures = read_pictures([options.data], space.size, options.n)
            directions = keyed_directions(options.seed, bits, space.width).to(device)
            words = draw_messages(len(pictures), options.seed).to(device) if bits > 1 else None
            readings = collect(space.to(device), pictures, directions, words, pool, settings)
            found |= {f"{name}/{key}": value for key, value in readings.items()}
            print(f"{name}: readings taken", file=sys.stderr)
    options.out.parent.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(options.out, allow_pickle=False, **found)
    return 0


if __name__ == "__main__":
    sys.exit(main())
