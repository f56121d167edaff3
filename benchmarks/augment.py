"""Speed of the auto-augmentor, forward and backward, and its agreement between devices.

    python benchmarks/augment.py --device cuda            → results/bench-augment-cuda.json
    python benchmarks/augment.py --device cpu             → results/bench-augment-cpu.json
    python benchmarks/augment.py --check-devices          → results/augment-devices.json

Every operator is timed beside the equivalent of kornia 0.9 in the same run, where kornia is installed and has
one (`pip install --no-deps kornia==0.9.* kornia_rs`). The composition is also set against the time that the
device would need to move the bytes which no implementation can avoid.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import torch
from torch import Tensor

from augment_kornia import equivalents
from tiacam.augment import ORDER, AutoAugmentor
from tiacam.training.devices import describe_device
from tiacam.training.record import write_record

SEED = 0
SIZE = 128
# Pictures that one module must move at least: read the input and write the output; backward, read the
# gradient and what it depends on, and write the gradient.
FORWARD_PICTURES, BACKWARD_PICTURES = 2, 3
# The noise is drawn outside: three channels of it, and one each for place and colour of impulses.
NOISE_PICTURES = 5 / 3
Row = dict[str, Any]


@dataclass(frozen=True)
class Bench:
    """Where and how often to measure."""

    device: torch.device
    batch: int
    repeats: int

    def pictures(self) -> Tensor:
        generator = torch.Generator().manual_seed(SEED)
        return torch.rand(self.batch, 3, SIZE, SIZE, generator=generator).to(self.device)

    def settle(self) -> None:
        if self.device.type == "cuda":
            torch.cuda.synchronize()

    def milliseconds(self, action: Callable[[], object]) -> float:
        """Wall time on a GPU; on the CPU the time that the process itself got, whatever else the machine does."""
        clock = perf_counter if self.device.type == "cuda" else process_time
        self.settle()
        start = clock()
        action()
        self.settle()
        return 1e3 * (clock() - start)

    def compare(self, actions: dict[str, Callable[[], object]]) -> dict[str, float]:
        """The least milliseconds of each: other work on the machine only ever adds. Measured in turns."""
        for action in actions.values():
            for _ in range(3 if self.device.type == "cuda" else 1):
                action()
        times: dict[str, list[float]] = {name: [] for name in actions}
        for _ in range(self.repeats):
            for name, action in actions.items():
                times[name].append(self.milliseconds(action))
        return {name: min(values) for name, values in times.items()}


def differentiate(distort: Callable[[Tensor], Tensor], pictures: Tensor) -> None:
    """Forward and backward to the pictures and to whatever else needs a gradient."""
    image = pictures.detach().requires_grad_()
    distort(image).sum().backward()


def measure_operators(bench: Bench) -> Iterator[Row]:
    """Every operator beside kornia's, on the same pictures and values."""
    augmentor, pictures = AutoAugmentor.build(None).to(bench.device), bench.pictures()
    augmentor.requires_grad_(False)  # kornia's learn nothing either
    others = equivalents(augmentor, pictures) if find_spec("kornia") else {}
    for name in ORDER:
        module = augmentor.distortion(name)
        params = module.sample(pictures.shape, torch.Generator().manual_seed(SEED))
        ours: Callable[[Tensor], Tensor] = partial(module, params=params)
        if name == "additive":  # kornia's noise cannot be drawn apart from applying it
            ours = partial(draw_and_apply, module, torch.Generator(bench.device).manual_seed(SEED))
        actions = {"ours": partial(differentiate, ours, pictures)}
        if name in others:
            actions["kornia"] = partial(differentiate, others[name], pictures)
        yield describe_times(f"operator-{name}", bench, bench.compare(actions))


def draw_and_apply(module: Any, generator: torch.Generator, image: Tensor) -> Tensor:
    output: Tensor = module(image, module.sample(image.shape, generator))
    return output


def describe_times(name: str, bench: Bench, times: dict[str, float]) -> Row:
    row: Row = {"name": name, "batch": bench.batch, "milliseconds": times["ours"]}
    row["pictures_per_second"] = 1e3 * bench.batch / times["ours"]
    if "kornia" in times:
        row |= {"milliseconds_kornia": times["kornia"], "times_faster": times["kornia"] / times["ours"]}
    print(row, file=sys.stderr)
    return row


def measure_composition(bench: Bench, width: int | None, compiled: bool) -> Row:
    """All six, with gradients to every learnable parameter, against the bytes that must be moved."""
    torch.manual_seed(SEED)
    augmentor, pictures = AutoAugmentor.build(width).to(bench.device), bench.pictures()
    generator = torch.Generator(bench.device).manual_seed(SEED)
    draw = augmentor.sample(pictures.shape, generator).detach()
    distort = torch.compile(augmentor.distort) if compiled else augmentor.distort

    def train() -> None:
        with torch.autocast(bench.device.type, torch.bfloat16, enabled=bench.device.type == "cuda"):
            differentiate(lambda image: distort(image, draw), pictures)

    times = bench.compare({"ours": train, "draw": lambda: augmentor.sample(pictures.shape, generator)})
    name = (
        f"composition-{'operators' if width is None else f'width-{width}'}{'-compiled' if compiled else ''}"
    )
    floor = floor_bytes(bench) / bandwidth(bench)
    extra = {"milliseconds_draw": times["draw"], "floor_milliseconds": 1e3 * floor}
    extra |= {"floor_bytes": floor_bytes(bench), "share_of_floor": 1e3 * floor / times["ours"]}
    return describe_times(name, bench, times) | extra


def measure_compiled(bench: Bench) -> Row:
    """The operators fused by torch.compile, or why they could not be."""
    try:
        return measure_composition(bench, None, compiled=True)
    except Exception as error:  # whatever a compiler may say is a result here
        return {"name": "composition-operators-compiled", "error": f"{type(error).__name__}: {error}"[:500]}


def floor_bytes(bench: Bench) -> float:
    """What six modules must read and write at least, forward and backward, in single precision."""
    picture = 3 * SIZE * SIZE * 4
    return bench.batch * picture * (len(ORDER) * (FORWARD_PICTURES + BACKWARD_PICTURES) + 2 * NOISE_PICTURES)


def bandwidth(bench: Bench) -> float:
    """Bytes per second that a plain copy of a large tensor moves on this device, counted once read, once written."""
    source = torch.zeros(2**28 if bench.device.type == "cuda" else 2**25, device=bench.device)
    target = torch.empty_like(source)
    best = min(bench.milliseconds(lambda: target.copy_(source)) for _ in range(10))
    return 2 * 4 * source.numel() / (best / 1e3)


@torch.no_grad()
def compare_devices(bench: Bench, width: int) -> Iterator[Row]:
    """The largest difference between the CPU and the device, for the operators and with networks."""
    torch.backends.cudnn.allow_tf32 = False
    for kind, size in (("operator", None), ("module", width)):
        torch.manual_seed(SEED)
        augmentor, pictures = AutoAugmentor.build(size), bench.pictures().cpu()
        for name in ORDER:
            module = augmentor.distortion(name)
            params = module.sample(pictures.shape, torch.Generator().manual_seed(SEED))
            here = module(pictures, params)
            there = module.to(bench.device)(pictures.to(bench.device), params.to(bench.device)).cpu()
            difference = (here - there).abs()
            row = {
                "name": f"{kind}-{name}",
                "largest": difference.max().item(),
                "mean": difference.mean().item(),
            }
            row["share_over_1e-3"] = (difference > 1e-3).float().mean().item()
            print(row, file=sys.stderr)
            yield row


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--batch", type=int, default=256)
    parser.add_argument("--repeats", type=int, default=20)
    parser.add_argument(
        "--width", type=int, nargs="*", default=[64, 16], help="also the composition with networks"
    )
    parser.add_argument("--compile", action="store_true", help="also with torch.compile")
    parser.add_argument(
        "--check-devices", action="store_true", help="compare the CPU with the device instead"
    )
    parser.add_argument("--out", type=Path, default=Path("results"))
    parser.add_argument("--threads", type=int, default=1, help="of the CPU (default %(default)s)")
    options = parser.parse_args()

    torch.set_num_threads(options.threads)
    bench = Bench(
        torch.device(options.device), 8 if options.check_devices else options.batch, options.repeats
    )
    if options.check_devices:
        rows, name = list(compare_devices(bench, options.width[0])), "augment-devices"
    else:
        rows, name = list(measure_operators(bench)), f"bench-augment-{options.device}"
        for width in (None, *options.width):
            rows.append(measure_composition(bench, width, compiled=False))
        if options.compile:
            rows.append(measure_compiled(bench))
    command = "python benchmarks/augment.py " + " ".join(sys.argv[1:])
    device = describe_device(bench.device)
    write_record(options.out / f"{name}.json", rows, command=command, seed=SEED, device=device, n=bench.batch)


if __name__ == "__main__":
    main()
