"""Pictures a second of feature extraction on a GPU in batches, and what bounds it.

    PYTHONPATH=src:. python -m benchmarks.extract_gpu --data shards/ --out results/ --seconds 120

The image tower with random weights (the time does not depend on them), bf16, channels last, without and with
torch.compile: from uint8 pixels on the device to features; the copying of pixels from pinned memory; and the decoding
and resizing of pictures from a tar on all cores. The slowest of the three bounds a bulk registration. FLOP counted by
torch. Written: extract-gpu.json.
"""

from __future__ import annotations

import argparse
import io
import os
import tarfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import nullcontext
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import torch
from benchmarks.record import ROOT, write
from torch import Tensor, nn

from tiacam.features.anchor import ImageTower
from tiacam.image import load
from tiacam.image.picture import square
from tiacam.model import DEFAULT_MODEL
from tiacam.model.card import read_card
from tiacam.model.runtime import card_path

Row = dict[str, Any]


class Extractor(nn.Module):
    """What a registration computes of a picture: (B, S, S, 3) uint8 → (B, 768)."""

    def __init__(self) -> None:
        super().__init__()
        self.tower = ImageTower()

    def forward(self, pixels: Tensor) -> Tensor:
        image = pixels.permute(0, 3, 1, 2).to(torch.float32).div(255)
        features: Tensor = self.tower(image.contiguous(memory_format=torch.channels_last))
        return features


def rate(work: Callable[[], object], pictures: int, seconds: float, device: str) -> float:
    """Pictures a second, after a first run that does not count."""
    work()
    synchronise(device)
    start, runs = time.perf_counter(), 0
    while time.perf_counter() - start < seconds:
        work()
        synchronise(device)
        runs += 1
    return runs * pictures / (time.perf_counter() - start)


def synchronise(device: str) -> None:
    if device == "cuda":
        torch.cuda.synchronize()


def network_rows(size: int, batches: list[int], seconds: float, device: str, compiled: bool) -> Iterator[Row]:
    module: Any = Extractor().eval().to(device, memory_format=torch.channels_last)
    gflop = count_flop(module, size, device) / 1e9
    if compiled:
        module = torch.compile(module)
    # Half precision is what the GPU is for; on a CPU it would be slower.
    autocast = torch.autocast("cuda", torch.bfloat16) if device == "cuda" else nullcontext()
    for batch in batches:
        pixels = torch.randint(0, 256, (batch, size, size, 3), dtype=torch.uint8, device=device)
        with torch.inference_mode(), autocast:
            found = rate(lambda pixels=pixels: module(pixels), batch, seconds, device)  # type: ignore[misc]
        yield {
            "what": "network, compiled" if compiled else "network",
            "batch": batch,
            "pictures_a_second": round(found),
            "tflop_a_second": round(found * gflop / 1e3, 2),
        }


def count_flop(module: nn.Module, size: int, device: str) -> int:
    from torch.utils.flop_counter import FlopCounterMode

    with torch.inference_mode(), FlopCounterMode(display=False) as counter:
        module(torch.zeros(1, size, size, 3, dtype=torch.uint8, device=device))
    return int(counter.get_total_flops())


def copy_row(size: int, batch: int, seconds: float) -> Row:
    pixels = torch.zeros(batch, size, size, 3, dtype=torch.uint8).pin_memory()
    found = rate(lambda: pixels.to("cuda", non_blocking=True), batch, seconds, "cuda")
    gigabytes = round(found * size * size * 3 / 1e9, 2)
    return {"what": "copying", "batch": batch, "pictures_a_second": round(found), "gb_a_second": gigabytes}


def decode_row(data: Path, size: int, seconds: float) -> Row:
    cores = len(os.sched_getaffinity(0))
    archives = sorted(data.glob("*.tar"))[:cores]
    with ProcessPoolExecutor(cores) as pool:
        done = list(pool.map(decode_for, archives, [size] * len(archives), [seconds] * len(archives)))
    found = sum(done)
    return {"what": "decoding and resizing", "processes": len(archives), "pictures_a_second": round(found)}


def decode_for(archive: Path, size: int, seconds: float) -> float:
    """Pictures a second of one process on one tar."""
    with tarfile.open(archive) as tar:
        members = (member for member in tar if member.name.lower().endswith((".jpg", ".webp", ".png")))
        files = [tar.extractfile(member) for member in islice(members, 4000)]
        contents = [file.read() for file in files if file]
    start, count = time.perf_counter(), 0
    for content in contents:
        picture = load(io.BytesIO(content), target=size)
        np.asarray(square(picture.pixels, size))
        count += 1
        if time.perf_counter() - start > seconds:
            break
    return count / (time.perf_counter() - start)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, help="a folder of tars with pictures, for the decoding")
    parser.add_argument("--out", type=Path, default=ROOT / "results")
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--batches", type=int, nargs="+", default=[64, 256, 1024, 4096])
    options = parser.parse_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    size = read_card(card_path(DEFAULT_MODEL)).input_size
    share = options.seconds / (2 * len(options.batches) + 2)
    rows = list(network_rows(size, options.batches, share, device, compiled=False))
    if device == "cuda":
        rows.append(copy_row(size, max(options.batches), share))
        rows += network_rows(size, options.batches[-2:], share, device, compiled=True)
    if options.data:
        rows.append(decode_row(options.data, size, share))
    best: dict[str, int] = {}
    for row in rows:
        name = row["what"].partition(",")[0]
        best[name] = max(best.get(name, 0), row["pictures_a_second"])
    write(
        options.out / "extract-gpu.json",
        command="python -m benchmarks.extract_gpu",
        commit=os.environ.get("TIACAM_COMMIT"),
        seed=None,
        n=max(options.batches),
        gpu=torch.cuda.get_device_name() if device == "cuda" else None,
        input_size=size,
        bound=min(best, key=lambda name: best[name]),
        rows=rows,
    )
    print((options.out / "extract-gpu.json").read_text())


if __name__ == "__main__":
    main()
