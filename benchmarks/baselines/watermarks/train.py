"""Train the encoder-decoder watermarks, 30 and 100 bits each, every one of them for the same time.

    python -m benchmarks.baselines.watermarks.train --data SHARDS --out DIR --seconds 50

SHARDS holds shard-*.tar of pictures. Written: DIR/watermarks.pt with the weights in fp16, the curves and what was run.
Cost: 6 × seconds, and half a minute for reading 40,000 pictures. benchmarks.baselines.watermarks.measure measures it.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from benchmarks.baselines.saving import halve, save
from benchmarks.baselines.watermarks.networks import SYSTEMS, build
from benchmarks.baselines.watermarks.training import WatermarkSettings, WatermarkTrainer
from torch import Tensor

from tiacam.data import read_shards
from tiacam.training.devices import describe_device, pick_device
from tiacam.training.record import current_commit, installed_versions

BITS = (30, 100)


def train_one(name: str, pixels: Tensor, settings: WatermarkSettings) -> dict[str, Any]:
    """One system at one length: weights, curve and summary."""
    torch.manual_seed(settings.seed)
    trainer = WatermarkTrainer(build(name, settings.bits), pixels, settings)
    began = time.monotonic()
    trainer.run()
    summary = {
        "name": name,
        "bits": settings.bits,
        "size": settings.size,
        "seconds": time.monotonic() - began,
        "batch": settings.batch,
        "accuracy": trainer.curriculum.accuracy,
        "psnr": trainer.curriculum.psnr,
        "steps": trainer.step,
    }
    print(json.dumps(summary), flush=True)
    return {
        "summary": summary,
        "curve": trainer.curve,
        "encoder": halve(trainer.system.encoder.state_dict()),
        "decoder": halve(trainer.system.decoder.state_dict()),
    }


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seconds", type=float, default=50.0, help="for each system and length")
    parser.add_argument("--systems", nargs="+", default=list(SYSTEMS), choices=SYSTEMS)
    parser.add_argument("--bits", nargs="+", type=int, default=list(BITS))
    parser.add_argument("--pictures", type=int, default=40_000)
    parser.add_argument("--size", type=int, default=WatermarkSettings.size)
    parser.add_argument("--batch", type=int, default=WatermarkSettings.batch)
    parser.add_argument("--full", action="store_true", help="fp32 throughout instead of bf16")
    parser.add_argument("--device", default="auto")
    options = parser.parse_args(arguments)

    device = pick_device(options.device)
    pixels = torch.from_numpy(read_shards(options.data, options.size, options.pictures)).to(device)
    content: dict[str, Any] = {
        "command": " ".join(["python -m benchmarks.baselines.watermarks.train", *sys.argv[1:]]),
        "commit": current_commit(),
        "versions": installed_versions(),
        "device": describe_device(device),
        "pictures": len(pixels),
        "systems": {},
    }
    for bits in options.bits:
        for name in options.systems:
            settings = WatermarkSettings(
                bits=bits,
                seconds=options.seconds,
                size=options.size,
                batch=options.batch,
                half=not options.full,
            )
            content["systems"][f"{name}-{bits}"] = train_one(name, pixels, settings)
            save(options.out / "watermarks.pt", content)
    return 0


if __name__ == "__main__":
    sys.exit(main())
