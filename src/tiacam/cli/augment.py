"""`tiacam augment`: what the auto-augmentor does to a picture, as one sheet (the figure of S2)."""

from __future__ import annotations

import argparse
from pathlib import Path

from tiacam.cli.extras import require_extra
from tiacam.cli.options import add_json, positive
from tiacam.cli.output import print_json
from tiacam.errors import UsageError

SUFFIXES = (".png", ".jpg", ".jpeg")
HELP = "draw what the six camera modules do to a picture (needs the extra `train`)"


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("picture", metavar="PICTURE")
    parser.add_argument("--out", type=Path, required=True, metavar="FILE", help="the sheet, PNG or JPEG")
    parser.add_argument(
        "--weights", type=Path, metavar="DIR", help="a pretrained augmentor (default: operators)"
    )
    parser.add_argument("--manual", action="store_true", help="the hand-made distortions of the S3 ablation")
    parser.add_argument(
        "--size", type=positive, default=192, metavar="PIXELS", help="side (default %(default)s)"
    )
    parser.add_argument("--seed", type=int, default=0)
    add_json(parser)


def run(options: argparse.Namespace) -> int:
    require_extra("torch", "train")
    if options.out.suffix.lower() not in SUFFIXES:
        raise UsageError(f"{options.out}: wanted a name that ends in {', '.join(SUFFIXES)}")
    from tiacam.augment import AutoAugmentor, ManualAugmentor
    from tiacam.augment.sheet import draw_sheet, from_bytes
    from tiacam.image import load, square
    from tiacam.training.augmentor import load_augmentor

    augmentor = ManualAugmentor.build() if options.manual else AutoAugmentor.build(None)
    if options.weights is not None:
        augmentor = load_augmentor(options.weights)
    picture = from_bytes(square(load(options.picture).pixels, options.size))
    sheet = draw_sheet(augmentor, picture, options.seed)
    options.out.parent.mkdir(parents=True, exist_ok=True)
    sheet.save(options.out, quality=88)
    if options.json:
        print_json({"file": str(options.out), "width": sheet.width, "height": sheet.height})
    else:
        print(f"drew {options.out}")
    return 0
