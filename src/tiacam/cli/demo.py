"""`tiacam demo`: register sample pictures, capture them, read everything back, and show it."""

from __future__ import annotations

import argparse
import secrets
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from tiacam.cli.options import add_json, positive
from tiacam.cli.output import print_json, verdict_json

if TYPE_CHECKING:
    from tiacam.cli.demo_report import Row
    from tiacam.watermark import Message

HELP = "register sample pictures, simulate captures, read them back, and write a report"
PICTURES = Path(__file__).parent / "pictures"
REGISTERED = ("astronaut", "camera", "chelsea", "clock", "coffee", "hubble", "retina", "rocket")
UNRELATED = ("brick", "grass", "gravel", "horse")
MESSAGE_BITS = 100


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--out", type=Path, default=Path("demo"), metavar="DIR", help="where the report goes")
    parser.add_argument(
        "--threads", type=positive, metavar="N", help="CPU threads of a model pass (default: all)"
    )
    add_json(parser)


def run(options: argparse.Namespace) -> int:
    from tiacam.cli.demo_report import print_table, write_report

    started = time.perf_counter()
    options.out.mkdir(parents=True, exist_ok=True)
    rows = play(options.out, options.threads)
    report = write_report(options.out, rows)
    if options.json:
        for row in rows:
            expected = row.expected.hex if row.expected else None
            print_json(verdict_json(row.name, row.verdict) | {"expected_hex": expected, "right": row.right})
    else:
        print_table(rows)
    print(f"report: {report} ({time.perf_counter() - started:.0f} s)", file=sys.stderr)
    return (
        0 if all(row.right or row.expected for row in rows) else 1
    )  # a false claim would be an error of ours


def play(out: Path, threads: int | None) -> list[Row]:
    """Register the samples with random messages in a fresh registry, and read all captures and unrelated pictures."""
    from PIL import Image

    from tiacam.app import Tiacam
    from tiacam.cli.demo_captures import CAPTURES
    from tiacam.cli.demo_report import Row
    from tiacam.progress import progress_bar

    for stale in out.glob("registry.tiacam*"):
        stale.unlink()
    pictures = {path.stem: Image.open(path).convert("RGB") for path in sorted(PICTURES.glob("*.jpg"))}
    rows: list[Row] = []
    with Tiacam.open(out / "registry.tiacam", threads=threads) as tiacam:
        bar = progress_bar(total=len(REGISTERED) * len(CAPTURES) + len(UNRELATED), desc="demo", unit="read")
        messages = {name: random_message() for name in REGISTERED}
        for name, message in messages.items():
            tiacam.register(PICTURES / f"{name}.jpg", message, note=name)
        for name, message in messages.items():
            for label, capture in CAPTURES.items():
                photo = capture(pictures[name])
                rows.append(Row(name, label, pictures[name], photo, message, tiacam.read(photo)))
                bar.update()
        for name in UNRELATED:
            rows.append(
                Row(name, "unrelated", pictures[name], pictures[name], None, tiacam.read(pictures[name]))
            )
            bar.update()
        bar.close()
    return rows


def random_message() -> Message:
    from tiacam.watermark import Message

    return Message.from_int(secrets.randbits(MESSAGE_BITS), MESSAGE_BITS)
