"""Damaged picture files over the service's decoder path: none may crash it, hang it or fill the memory.

    python -m benchmarks.fuzz_images --files 100000 --out results/fuzz-images.json

Each worker is a process of its own under a limit of 1 GiB of memory beyond what it has after importing. It takes small
real files of every format, damages them, and opens them as the service does: first the header alone, then the pixels.
A crash ends the process, a file over five seconds ends it by alarm; the parent writes down which file it was.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import random
import resource
import signal
import struct
import subprocess
import sys
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pillow_heif
from benchmarks.record import write
from PIL import Image, ImageCms

from tiacam.errors import ImageError
from tiacam.service.admission import open_picture

SECONDS = 5
MEMORY = 1 << 30
MAX_PIXELS = 50_000_000
KINDS = ("JPEG", "PNG", "WEBP", "AVIF", "TIFF", "GIF", "BMP", "HEIC")
INTERESTING = (
    0,
    1,
    0x7F,
    0x80,
    0xFF,
    0x7FFF,
    0x8000,
    0xFFFF,
    0x7FFFFFFF,
    0x80000000,
    0xFFFFFFFF,
    6_000,
    20_000,
)
LETHAL = "a worker ended without saying why"


def scene(width: int, height: int) -> Image.Image:
    """Smooth colours with some noise: every coder has something to do."""
    generator = np.random.default_rng(7)
    x, y = np.meshgrid(np.linspace(0, 6, width), np.linspace(0, 6, height))
    waves = np.stack([np.sin(x), np.cos(y), np.sin(x * y)], axis=-1) * 100 + 128
    return Image.fromarray((waves + generator.normal(0, 8, waves.shape)).clip(0, 255).astype(np.uint8))


def encode(image: Image.Image, kind: str, **options: Any) -> bytes:
    stream = io.BytesIO()
    if kind == "HEIC":
        pillow_heif.from_pillow(image).save(stream, **options)
    else:
        image.save(stream, kind, **options)
    return stream.getvalue()


def seeds() -> list[tuple[str, bytes]]:
    """Real files: every format, and the less usual ways of writing it."""
    small, profile = scene(80, 56), ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    exif = Image.Exif()
    exif[0x0112] = 6
    plain = [(kind, encode(small, kind)) for kind in KINDS]
    turned = [(kind, encode(small, kind, exif=exif.tobytes())) for kind in ("JPEG", "PNG", "WEBP", "AVIF")]
    tiff = [
        ("TIFF", encode(small, "TIFF", compression=name))
        for name in ("tiff_lzw", "jpeg", "packbits", "tiff_deflate")
    ]
    frames: dict[str, Any] = {
        "save_all": True,
        "append_images": [scene(80, 56).transpose(Image.Transpose.ROTATE_180)],
    }
    moving = [(kind, encode(small, kind, **frames)) for kind in ("GIF", "PNG", "WEBP", "TIFF")]
    modes = [
        ("PNG", encode(small.convert(mode), "PNG")) for mode in ("1", "L", "LA", "P", "RGBA", "I;16")
    ] + [("JPEG", encode(small.convert("CMYK"), "JPEG")), ("TIFF", encode(small.convert("F"), "TIFF"))]
    other = [
        ("JPEG", encode(small, "JPEG", progressive=True, icc_profile=profile)),
        ("PNG", encode(small, "PNG", icc_profile=profile)),
        ("WEBP", encode(small, "WEBP", lossless=True)),
        ("JPEG", encode(scene(640, 480), "JPEG")),
    ]
    return plain + turned + tiff + moving + modes + other


def damage(data: bytes, donors: list[tuple[str, bytes]], draw: random.Random) -> bytes:
    """One to eight changes; most of them near the head, where sizes and offsets are."""
    work = bytearray(data)
    for _ in range(draw.choice((1, 1, 2, 3, 5, 8))):
        if not work:
            break
        draw.choice(CHANGES)(work, place(work, draw), donors, draw)
    return bytes(work)


def place(work: bytearray, draw: random.Random) -> int:
    return draw.randrange(min(len(work), draw.choice((32, 128, 600, len(work)))))


Change = Callable[[bytearray, int, list[tuple[str, bytes]], random.Random], None]


def flip(work: bytearray, at: int, _: list[tuple[str, bytes]], draw: random.Random) -> None:
    work[at] ^= 1 << draw.randrange(8)


def overwrite(work: bytearray, at: int, _: list[tuple[str, bytes]], draw: random.Random) -> None:
    work[at : at + draw.randint(1, 16)] = draw.randbytes(draw.randint(1, 16))


def renumber(work: bytearray, at: int, _: list[tuple[str, bytes]], draw: random.Random) -> None:
    """A number that a size or an offset may be, in either order of bytes."""
    form = draw.choice((">H", "<H", ">I", "<I"))
    packed = struct.pack(form, draw.choice(INTERESTING) & (0xFFFF if form[1] == "H" else 0xFFFFFFFF))
    work[at : at + len(packed)] = packed


def cut(work: bytearray, at: int, _: list[tuple[str, bytes]], draw: random.Random) -> None:
    del work[at : at + draw.choice((1, 4, 16, len(work)))]


def double(work: bytearray, at: int, _: list[tuple[str, bytes]], draw: random.Random) -> None:
    piece = work[at : at + draw.randint(1, 256)]
    work[at:at] = piece * draw.choice((1, 1, 2, 64))


def splice(work: bytearray, at: int, donors: list[tuple[str, bytes]], draw: random.Random) -> None:
    """The rest of another file: what a decoder of one format makes of another's data."""
    other = draw.choice(donors)[1]
    work[at:] = other[draw.randrange(len(other)) :]


CHANGES: tuple[Change, ...] = (flip, flip, overwrite, renumber, renumber, cut, double, splice)


def open_one(data: bytes, target: int | None) -> str:
    """How the file ended: `opened`, or the name of the refusal."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            open_picture(data, MAX_PIXELS, target)
        except ImageError as error:
            return type(error).__name__
    return "opened"


def work(start: int, stop: int, seed: int) -> None:
    """The files of one range, a line of JSON before (which file) and after (how it ended) each hundred."""
    files = seeds()
    for _, data in files:
        open_one(data, None)  # what the libraries load on first use is not the files' memory
    limit = resident("VmSize") + MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    ended: Counter[str] = Counter()
    slowest = 0.0
    for number in range(start, stop):
        signal.alarm(SECONDS)
        draw = random.Random(seed * 10_000_019 + number)
        kind, data = files[number % len(files)]
        say({"at": number})
        began = time.perf_counter()
        outcome = open_one(damage(data, files, draw), draw.choice((None, 224)))
        slowest = max(slowest, time.perf_counter() - began)
        ended[f"{kind} {outcome}"] += 1
    say({"ended": ended, "slowest_s": slowest, "peak_mib": peak() // (1 << 20)})


def resident(name: str) -> int:
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return next(int(line.split()[1]) * 1024 for line in status.splitlines() if line.startswith(name))


def peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def say(value: dict[str, Any]) -> None:
    os.write(1, (json.dumps(value) + "\n").encode())


def run_range(start: int, stop: int, seed: int) -> Iterator[dict[str, Any]]:
    """Run workers over the range; one that dies is followed by one that starts behind the fatal file."""
    while start < stop:
        command = [
            sys.executable,
            "-m",
            "benchmarks.fuzz_images",
            "--range",
            str(start),
            str(stop),
            "--seed",
            str(seed),
        ]
        worker = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        out, err = worker.communicate()
        lines = [json.loads(line) for line in out.splitlines()]
        if worker.returncode == 0:
            yield lines[-1]
            return
        last = next((line["at"] for line in reversed(lines) if "at" in line), None)
        if last is None:
            raise SystemExit(f"no worker starts: {err.decode()[-500:]}")
        reason = {-signal.SIGALRM: f"over {SECONDS} s"}.get(worker.returncode, LETHAL)
        yield {"fatal": last, "code": worker.returncode, "reason": reason, "stderr": err.decode()[-300:]}
        start = last + 1


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--files", type=int, default=100_000)
    parser.add_argument("--chunk", type=int, default=5_000, help="files a process")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--range", type=int, nargs=2, help=argparse.SUPPRESS)
    parser.add_argument("--out", type=Path, default=Path("build/fuzz-images.json"))
    return parser.parse_args()


def main() -> int:
    chosen = options()
    if chosen.range:
        work(chosen.range[0], chosen.range[1], chosen.seed)
        return 0
    ended: Counter[str] = Counter()
    fatal: list[dict[str, Any]] = []
    slowest, memory = 0.0, 0
    for start in range(0, chosen.files, chosen.chunk):
        for part in run_range(start, min(start + chosen.chunk, chosen.files), chosen.seed):
            if "fatal" in part:
                fatal.append(part)
                continue
            ended.update(part["ended"])
            slowest, memory = max(slowest, part["slowest_s"]), max(memory, part["peak_mib"])
        print(f"{min(start + chosen.chunk, chosen.files)} files, {len(fatal)} fatal", file=sys.stderr)
    rows = [
        {"seed_format": name.split()[0], "outcome": name.split()[1], "files": count}
        for name, count in sorted(ended.items())
    ]
    summary: dict[str, Any] = {
        "fatal": fatal,
        "slowest_s": round(slowest, 3),
        "peak_mib": memory,
        "limit_s": SECONDS,
        "limit_mib": MEMORY >> 20,
    }
    write(
        chosen.out,
        command=f"python -m benchmarks.fuzz_images --files {chosen.files}",
        seed=chosen.seed,
        n=chosen.files,
        rows=rows,
        **summary,
    )
    print(json.dumps(summary))
    return 1 if fatal or memory * (1 << 20) > MEMORY or slowest > SECONDS else 0


if __name__ == "__main__":
    sys.exit(main())
