"""augmentor: pretrain the six networks of the auto-augmentor on 10,000 synthetic pairs each (MSE + SSIM).

    tiacam train augmentor --data DIR_WITH_SHARDS --heldout TAR --out DIR

or, where only torch, numpy, Pillow and OpenCV are installed,

    python -m tiacam.recipes.augmentor --data DIR_WITH_SHARDS --heldout TAR --out DIR

Cost: five and a half minutes on one H200 at the paper's width 64, of which 75 seconds are the targets (16 threads).
`--resume` goes on where a run stopped.

Result: DIR/augmentor.json with PSNR and SSIM to the real distortion on held-out pictures for each module,
beside no distortion, the bare operator and the untrained module; DIR/curves.csv; DIR/NAME.pt. Every module is
closer to its distortion than the undistorted picture is, and no further than its operator.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from tiacam.training.augmentor import AugmentorRun, Row, pretrain_augmentor
from tiacam.training.devices import pick_device
from tiacam.training.pretraining import PretrainSettings

# The paper's rate is 1e-4 without a schedule or a number of steps. A cosine that starts three times higher gets as far
# in a few thousand steps; the decoders and the MLP see a few numbers, are small, and bear ten times the rate.
RECIPE: Mapping[str, PretrainSettings] = {
    "filtering": PretrainSettings(steps=3_000, learning_rate=1e-3),
    "photometric": PretrainSettings(steps=4_000, learning_rate=1e-3),
    "additive": PretrainSettings(steps=5_000, learning_rate=1e-3),
    "perspective": PretrainSettings(steps=3_000, learning_rate=3e-4),
    "moire": PretrainSettings(steps=2_000, learning_rate=3e-4),
    "compression": PretrainSettings(steps=2_000, learning_rate=3e-4),
}
WIDTH = 64


def configure(parser: argparse.ArgumentParser) -> None:
    """The recipe's options."""
    parser.add_argument(
        "--data", type=Path, required=True, help="folder with shard-*.tar of training pictures"
    )
    parser.add_argument(
        "--heldout", type=Path, required=True, help="tar of pictures that training never sees"
    )
    parser.add_argument("--out", type=Path, required=True, help="folder for weights, curves and the record")
    parser.add_argument("--device", default="auto", help="auto, cpu or cuda")
    parser.add_argument("--width", type=int, default=WIDTH, help="of U-Nets and ResNet (default %(default)s)")
    parser.add_argument("--steps", type=int, help="for every module, instead of the recipe's")
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--pairs", type=int, default=10_000)
    parser.add_argument("--heldout-pairs", type=int, default=1_000)
    parser.add_argument("--size", type=int, default=128)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", nargs="+", choices=list(RECIPE), default=list(RECIPE), help="some modules")
    parser.add_argument("--resume", action="store_true", help="go on from the checkpoints in --out")


def run(options: argparse.Namespace) -> list[Row]:
    """Train as the options say."""
    return pretrain_augmentor(
        AugmentorRun(
            data=options.data,
            heldout=options.heldout,
            out=options.out,
            settings=choose_settings(options.only, options.steps, options.batch),
            device=pick_device(options.device),
            width=options.width,
            size=options.size,
            pairs=options.pairs,
            heldout_pairs=options.heldout_pairs,
            seed=options.seed,
            resume=options.resume,
            command=f"tiacam train augmentor --width {options.width} --seed {options.seed} --pairs {options.pairs}",
        )
    )


def choose_settings(only: Sequence[str], steps: int | None, batch: int) -> dict[str, PretrainSettings]:
    """The recipe of the chosen modules, with what the command line overrides."""
    chosen = {name: replace(settings, batch=batch) for name, settings in RECIPE.items() if name in only}
    return {name: replace(settings, steps=steps or settings.steps) for name, settings in chosen.items()}


def show(rows: Sequence[Row]) -> None:
    """One line for each module, to the terminal."""
    for row in rows:
        values = "  ".join(f"{key} {row[f'psnr{key}']:.2f} dB" for key in ("_none", "_operator", "_before"))
        print(
            f"{row['name']:12} {values}  after {row['psnr']:.2f} dB  ssim {row['ssim']:.4f}", file=sys.stderr
        )


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="tiacam train augmentor",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    configure(parser)
    show(run(parser.parse_args(arguments)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
