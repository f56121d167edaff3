"""`tiacam simulate`: photos and screenshots of a picture that nobody took, with the truth about its corners."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tiacam.cli.extras import require_extra
from tiacam.cli.options import add_json, find_files, positive
from tiacam.cli.output import print_json, with_progress

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tiacam.capture import Capture

HELP = "photograph a picture from a screen or a print, or take screenshots of it, by simulation"
KINDS = ("screen", "print", "screenshot")
STRENGTHS = ("mild", "typical", "severe")


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("picture", metavar="PICTURE")
    parser.add_argument("--kind", choices=KINDS, required=True)
    parser.add_argument("--strength", choices=STRENGTHS, default="typical", help="default %(default)s")
    parser.add_argument(
        "--count", type=positive, default=4, metavar="N", help="how many (default %(default)s)"
    )
    parser.add_argument("--seed", type=int, default=0, help="of the first; the others count on from it")
    parser.add_argument(
        "--out",
        type=Path,
        default=Path("captures"),
        metavar="DIR",
        help="folder for the files (default %(default)s)",
    )
    parser.add_argument(
        "--long-side", type=side, metavar="PIXELS", help="of every capture, 64 to 8000 (default: drawn)"
    )
    parser.add_argument(
        "--backgrounds", metavar="DIR", help="pictures to lie about in the scene (default: procedural)"
    )
    parser.add_argument(
        "--masks", action="store_true", help="also write where each capture shows the picture, as PNG"
    )
    add_json(parser)


def side(text: str) -> int:
    """From a thumbnail to what a phone takes; a camera's arrays grow with the square."""
    value = int(text)
    if not 64 <= value <= 8000:
        raise argparse.ArgumentTypeError(f"{value} is not from 64 to 8000")
    return value


def run(options: argparse.Namespace) -> int:
    require_extra("cv2", "simulate")
    from tiacam.capture import Kind, Strength, simulate
    from tiacam.image import load

    picture = load(options.picture).pixels
    others = [load(file).pixels for file in find_files([options.backgrounds])] if options.backgrounds else []
    options.out.mkdir(parents=True, exist_ok=True)
    made = []
    for seed in with_progress(range(options.seed, options.seed + options.count), options.count, "simulate"):
        capture = simulate(
            picture,
            Kind(options.kind),
            Strength(options.strength),
            seed=seed,
            backgrounds=others,
            long_side=options.long_side,
        )
        made.append(capture)
        report(options, write(capture, options, seed), seed, capture)
    write_sheet(picture, made, options)
    return 0


def write(capture: Capture, options: argparse.Namespace, seed: int) -> Path:
    """The file exactly as the simulated phone or platform encoded it."""
    import numpy as np
    from PIL import Image

    from tiacam.capture.codec import SUFFIXES

    stem = f"{Path(options.picture).stem}--{options.kind}-{options.strength}-{seed:04d}"
    path: Path = options.out / (stem + SUFFIXES[capture.media_type])
    path.write_bytes(capture.encoded)
    if options.masks:
        Image.fromarray(np.where(capture.mask, np.uint8(255), np.uint8(0))).save(
            options.out / f"{stem}-mask.png"
        )
    return path


def report(options: argparse.Namespace, path: Path, seed: int, capture: Capture) -> None:
    if not options.json:
        print(path)
        return
    line: dict[str, Any] = {
        "original": options.picture,
        "captured": str(path),
        "medium": options.kind,
        "strength": options.strength,
        "seed": seed,
        "width": capture.photo.shape[1],
        "height": capture.photo.shape[0],
        "visible": round(float(capture.mask.mean()), 4),
        "corners_tl_tr_br_bl": [[round(float(v), 2) for v in corner] for corner in capture.corners],
    }
    print_json(line)


def write_sheet(picture: NDArray[np.uint8], made: list[Capture], options: argparse.Namespace) -> None:
    """The picture and all captures with its outline, side by side."""
    from tiacam.capture.codec import File, encode
    from tiacam.capture.sheet import contact_sheet, outlined

    sheet = contact_sheet([picture, *(outlined(capture) for capture in made)])
    path = options.out / f"{Path(options.picture).stem}--{options.kind}-{options.strength}-sheet.jpg"
    path.write_bytes(encode(sheet, File("JPEG", 88)))
    print(f"sheet: {path}", file=sys.stderr)
