"""Bits read from marked pictures after attacks and simulated captures: the slow half of `watermarks.measure`.

    python -m benchmarks.baselines.watermarks.readings DIR/watermarks.pt --data heldout/coco.tar --out readings.npz

Of several files, a later one's systems replace those of the same name in an earlier one.
Pictures are marked at 128×128 and the residual is enlarged to their own 256×256, so that every system meets the same
attacks on the same pictures.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from benchmarks.baselines.attacking import attack_all, capture_all, open_pool
from benchmarks.baselines.saving import budget_of, read, widen
from benchmarks.baselines.watermarks.networks import System, build
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from tiacam.capture import Kind
from tiacam.capture.attacks import Group, attacks_of
from tiacam.data import read_pictures
from tiacam.image import square
from tiacam.training.metrics import psnr, ssim

SOURCE = 256
BATCH = 20
ATTACKS = [attack.name for group in (Group.DIGITAL, Group.GEOMETRIC) for attack in attacks_of(group)]
# What unmarked pictures are read under: how often fair coins look like a mark does not depend on the attack.
UNMARKED = ("identity", "jpeg-50", "crop-0.5", "screenshot")

Pixels = NDArray[np.uint8]
Bits = NDArray[np.uint8]


@dataclass(frozen=True)
class Watermark:
    """A trained system at one length."""

    system: System
    bits: int
    size: int

    @torch.no_grad()
    def mark(self, pictures: Pixels, messages: Bits) -> Pixels:
        """The pictures (N, H, W, 3) with the messages (N, K) in them, at their own size."""
        marked = []
        for start in range(0, len(pictures), BATCH):
            part = pictures[start : start + BATCH]
            small = to_tensor(np.stack([square(picture, self.size) for picture in part]))
            message = torch.from_numpy(messages[start : start + BATCH]).float()
            residual = self.system.encoder(small, message) - small
            large = functional.interpolate(residual, part.shape[1:3], mode="bicubic")
            marked.append(to_pixels(to_tensor(part) + large))
        return np.concatenate(marked)

    @torch.no_grad()
    def read(self, pictures: Pixels) -> Bits:
        """The bits (N, K) in pictures at the decoder's size."""
        parts = [self.system.decoder(part) for part in to_tensor(pictures).split(BATCH)]
        return (torch.cat(parts) > 0).numpy().astype(np.uint8)


def to_tensor(pictures: Pixels) -> Tensor:
    return torch.from_numpy(pictures).permute(0, 3, 1, 2).float() / 255


def to_pixels(pictures: Tensor) -> Pixels:
    rounded = (pictures.clamp(0, 1) * 255).round().to(torch.uint8).permute(0, 2, 3, 1)
    return np.ascontiguousarray(rounded.numpy())


def restore(content: Mapping[str, Any]) -> Watermark:
    """A system from what its training left."""
    summary = content["summary"]
    system = build(summary["name"], summary["bits"])
    for part in ("encoder", "decoder"):
        module = getattr(system, part)
        module.load_state_dict(widen(content[part]))
        module.eval()
    return Watermark(system, summary["bits"], summary["size"])


def read_systems(files: Sequence[Path]) -> dict[str, tuple[str, Mapping[str, Any]]]:
    """Every system by name, with the beginning of its file's hash."""
    systems: dict[str, tuple[str, Mapping[str, Any]]] = {}
    for path in files:
        digest = hashlib.sha256(path.read_bytes()).hexdigest()[:12]
        systems |= {name: (digest, content) for name, content in read(path)["systems"].items()}
    return systems


def collect(watermark: Watermark, pictures: Pixels, pool: Executor, seed: int) -> dict[str, NDArray[Any]]:
    """Messages, readings under everything, and how much the mark changed the pictures."""
    rng = np.random.default_rng(seed)
    messages = rng.integers(2, size=(len(pictures), watermark.bits), dtype=np.uint8)
    marked = watermark.mark(pictures, messages)
    first, second = to_tensor(pictures), to_tensor(marked)
    found: dict[str, NDArray[Any]] = {
        "messages": messages,
        "psnr": psnr(first, second).numpy(),
        "ssim": ssim(first, second).numpy(),
    }
    for prefix, shown, attacks in (("marked", marked, ATTACKS), ("unmarked", pictures, UNMARKED)):
        for name in attacks:
            changed = attack_all(pool, list(shown), name, watermark.size, seed)
            found[f"{prefix}/{name}"] = watermark.read(changed)
    for kind in Kind:
        for form, seen in capture_all(pool, list(marked), kind, watermark.size, seed).items():
            found[f"{kind.value}/{form}"] = watermark.read(seen)
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("weights", nargs="+", type=Path)
    parser.add_argument("--data", type=Path, required=True, help="tar of held-out pictures")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--n", type=int, default=100)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)

    pictures = read_pictures([options.data], SOURCE, options.n)
    found: dict[str, NDArray[Any]] = {"seed": np.array(options.seed)}
    with open_pool(options.workers) as pool:
        for name, (digest, content) in read_systems(options.weights).items():
            readings = collect(restore(content), pictures, pool, options.seed)
            budget = {
                f"training/{what}": np.array(value) for what, value in budget_of(content["summary"]).items()
            }
            told = {"digest": np.array(digest), **budget, **readings}
            found |= {f"{name}/{key}": value for key, value in told.items()}
            print(f"{name}: readings taken", file=sys.stderr)
    options.out.parent.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(options.out, allow_pickle=False, **found)
    return 0


if __name__ == "__main__":
    sys.exit(main())
