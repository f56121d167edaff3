"""The attacker who has everything but the key: gradients of the shipped model towards a registered picture.

    python -m benchmarks.white_box

Written: results/white-box.json, with --lasting white-box-lasting.json, unless --out says otherwise. The weights are
those of the package itself.

He wants the owner's service to take his picture for the registered one. He knows the model to the last weight and
the registered picture's feature, as does whoever has the picture or the ledger. He moves every pixel by at most a
budget, 500 steps. What he sends is read by the product itself, with the owner's key; then by a service with a key of
his own, which may find the record and not open it; then by the paper's head, which has no key. As a file (PNG),
compressed (JPEG 75), photographed from a screen.

The other way round: the owner's picture, moved until it is no longer recognised.
"""

from __future__ import annotations

import argparse
import io
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from benchmarks.onnx_torch import WholeModel
from benchmarks.record import ROOT, write
from numpy.typing import NDArray
from PIL import Image
from torch import Tensor
from torch.nn import functional
from tqdm import tqdm

from tiacam.app import Tiacam
from tiacam.app.aligning import unit
from tiacam.capture import Kind, Strength, simulate
from tiacam.errors import WrongKeyError
from tiacam.image import load, square
from tiacam.model import DEFAULT_MODEL
from tiacam.service.bindings import features_of, find_matches
from tiacam.watermark import KeyedHead, Mark, Message, ReferenceHead

PICTURES = Path("src/tiacam/cli/pictures")
NAMES = ("astronaut", "coffee", "rocket", "chelsea", "horse", "hubble", "retina", "clock")
BUDGETS = (1, 2, 4, 8, 16, 255)
STEPS = 500
NOTED = (50, 100, 250, 500)
MESSAGE = Message.from_text("owner 4711")

Pixels = NDArray[np.uint8]


@dataclass(frozen=True)
class Aim:
    """Where the attacker wants to go: towards the target's feature, or away from it."""

    name: str
    sign: float
    shaken: bool = False  # through what a camera does to the picture, so that the change survives it


FORGE = Aim("forge: another picture towards the registered one", 1.0)
LASTING = Aim("forge to last: the same through changes of scale, noise and light", 1.0, shaken=True)
EVADE = Aim("evade: the registered picture away from itself", -1.0)


def shake(image: Tensor) -> Tensor:
    """A random capture that gradients pass through: another scale and back, noise, other light."""
    size, scale = image.shape[-1], 0.4 + 0.6 * float(torch.rand(()))
    small = functional.interpolate(image, scale_factor=scale, mode="bilinear", antialias=True)
    back = functional.interpolate(small, size=(size, size), mode="bilinear")
    light = 0.75 + 0.5 * torch.rand((), device=image.device)
    return ((back + 0.03 * torch.randn_like(back)) * light).clamp(0, 1)


def attack(
    model: WholeModel, start: Tensor, target: Tensor, budget: int, aim: Aim, steps: int
) -> Iterator[tuple[int, Tensor]]:
    """Signed gradient steps inside the budget, smaller and smaller; yields the pictures at the noted steps."""
    limit = budget / 255
    device = model.mean.device
    start, target = start.to(device), target.to(device)
    low, high = (start - limit).clamp(0, 1), (start + limit).clamp(0, 1)
    image, kept = start.clone(), torch.zeros_like(start)
    for step in tqdm(range(1, steps + 1), desc=f"±{budget} {aim.name[:5]}", disable=None):
        image.requires_grad_(True)
        agreement = (model(shake(image) if aim.shaken else image) * target).sum()
        (gradient,) = torch.autograd.grad(agreement, image)
        if aim.shaken:  # a mean over the last captures, lest one of them decide
            gradient = kept = 0.9 * kept + gradient / gradient.abs().mean(dim=(1, 2, 3), keepdim=True)
        size = min(limit, 16 / 255) / 4 * (1 - step / (steps + 1))
        moved = image.detach() + aim.sign * size * gradient.sign()
        image = torch.minimum(torch.maximum(moved, low), high)
        if step in NOTED or step == steps:
            yield step, image.cpu()


def to_bytes(image: Tensor) -> list[Pixels]:
    rounded = (image.permute(0, 2, 3, 1) * 255).round().to(torch.uint8).numpy()  # (B, S, S, 3)
    return list(rounded)


def encode(pixels: Pixels, kind: str, **options: Any) -> bytes:
    stream = io.BytesIO()
    Image.fromarray(pixels).save(stream, kind, **options)
    return stream.getvalue()


def photograph(pixels: Pixels, seed: int) -> bytes:
    """A screen that shows the picture large, photographed in mild circumstances."""
    shown = np.asarray(Image.fromarray(pixels).resize((672, 672), Image.Resampling.BICUBIC))
    return simulate(shown, Kind.SCREEN, Strength.MILD, seed=seed, long_side=1024).encoded


@dataclass(frozen=True)
class Bench:
    """What judges: the owner's product, a stranger's with the same ledger, and the paper's head."""

    owner: Tiacam
    stranger: Tiacam
    ids: list[str]
    references: list[Mark]

    def judge(self, number: int, pixels: Pixels) -> dict[str, Any]:
        files = {
            "png": encode(pixels, "PNG"),
            "jpeg 75": encode(pixels, "JPEG", quality=75),
            "photo": photograph(pixels, number),
        }
        answers = {name: self.owner.read(data) for name, data in files.items()}
        feature = self.owner.model.extract(pixels[None])[0]
        bits = ReferenceHead().read(feature, self.references[number]).message
        assert bits is not None
        agreeing = MESSAGE.length - (bits.value ^ MESSAGE.value).bit_count()
        return {
            **{
                f"claimed as {name}": answer.record_id == self.ids[number] for name, answer in answers.items()
            },
            "found without the key": self.is_found(number, files["png"]),
            "read without the key": self.opens_for_stranger(files["png"]),
            "bits by the paper's head": agreeing / MESSAGE.length,
        }

    def is_found(self, number: int, data: bytes) -> bool:
        """Whether the public search, which needs no key, takes this file for the registered picture."""
        features = features_of(self.stranger, load(data))
        return self.ids[number] in {match.record.id for match in find_matches(self.stranger, features, 10)}

    def opens_for_stranger(self, data: bytes) -> bool:
        try:
            return self.stranger.read(data).registered
        except WrongKeyError:
            return False  # the picture is found, the message stays shut


def prepare(folder: Path, model: WholeModel, pictures: Sequence[Pixels]) -> Bench:
    owner = Tiacam.open(folder / "r.tiacam", threads=1)
    ids = [owner.register(picture, MESSAGE).id for picture in pictures]
    stranger = Tiacam.open(folder / "other.tiacam", threads=1)
    stranger.close()
    same = Tiacam.open(folder / "r.tiacam", key=folder / "other.tiacam.key", threads=1)
    features = owner.model.extract(np.stack(pictures))
    with torch.no_grad():
        mine = model(tensor_of(pictures).to(model.mean.device)).cpu().numpy()
    worst = float((features * mine).sum(axis=1).min())
    assert worst > 0.99, f"torch and ONNX agree only to cosine {worst:.4f}: is an operator wrong?"
    references = [ReferenceHead().bind(feature, MESSAGE) for feature in features]
    return Bench(owner, same, ids, references)


def tensor_of(pictures: Sequence[Pixels]) -> Tensor:
    return torch.from_numpy(np.stack(pictures)).permute(0, 3, 1, 2).to(torch.float32) / 255


def row(
    aim: Aim, budget: int, step: int, cosines: NDArray[np.float32], judged: list[dict[str, Any]]
) -> dict[str, Any]:
    shares = {name: round(float(np.mean([one[name] for one in judged])), 4) for name in judged[0]}
    return {
        "attack": aim.name,
        "budget of 255": budget,
        "steps": step,
        "cosine mean": round(float(cosines.mean()), 4),
        "cosine least": round(float(cosines.min()), 4),
        "cosine most": round(float(cosines.max()), 4),
        **shares,
    }


def run(
    bench: Bench, model: WholeModel, pictures: list[Pixels], chosen: argparse.Namespace
) -> Iterator[dict[str, Any]]:
    # Whoever holds the ledger has them.
    targets = torch.from_numpy(
        np.stack([unit(bench.owner.registry.get(name)) for name in bench.ids])
    )  # (B, D)
    own = tensor_of(pictures)
    others = own.roll(-1, dims=0)
    aims = [(LASTING, others)] if chosen.lasting else [(FORGE, others), (EVADE, own)]
    for aim, start in aims:
        yield measured(bench, aim, 0, 0, start, targets)
        for budget in chosen.budgets:
            if aim is EVADE and budget > 16:
                continue  # with every pixel free, it is another picture
            for step, image in attack(model, start, targets, budget, aim, chosen.steps):
                yield measured(bench, aim, budget, step, image, targets)


def measured(
    bench: Bench, aim: Aim, budget: int, step: int, image: Tensor, targets: Tensor
) -> dict[str, Any]:
    rounded = to_bytes(image)
    cosines = (bench.owner.model.extract(np.stack(rounded)) * targets.numpy()).sum(axis=1)
    return row(
        aim, budget, step, cosines, [bench.judge(number, pixels) for number, pixels in enumerate(rounded)]
    )


def key_rows(bench: Bench) -> Iterator[dict[str, Any]]:
    """The record alone, with no picture: what opens it under a hundred wrong keys, and under the owner's."""
    wrong = [number.to_bytes(32, "big") for number in range(100)]
    right = [bench.owner.key.head_secret]
    for name, secrets in (("100 wrong keys a record", wrong), ("the owner's key", right)):
        records = [bench.owner.registry.get(one) for one in bench.ids]
        opened = [
            KeyedHead().read(record.feature.astype(np.float32), record.mark, secret).message == MESSAGE
            for record in records
            for secret in secrets
        ]
        yield {
            "attack": f"the registered feature itself, {name}",
            "tried": len(opened),
            "opened": sum(opened),
        }


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--budgets", type=int, nargs="+", default=list(BUDGETS))
    parser.add_argument("--lasting", action="store_true", help="the attacker who wants to survive a capture")
    parser.add_argument("--pictures", type=int, default=len(NAMES), help="how many of the sample pictures")
    parser.add_argument("--device", default="cpu", help="where the gradients are computed")
    parser.add_argument("--out", type=Path)
    chosen = parser.parse_args()
    if not 2 <= chosen.pictures <= len(NAMES):  # each is forged from the next one
        parser.error(f"{chosen.pictures} pictures, wanted 2 to {len(NAMES)}")
    name = "white-box-lasting.json" if chosen.lasting else "white-box.json"
    chosen.out = chosen.out or ROOT / "results" / name
    return chosen


def main() -> int:
    chosen = options()
    torch.set_num_threads(1)
    torch.manual_seed(0)
    model = WholeModel(DEFAULT_MODEL).to(chosen.device)
    size = model.size
    pictures = [square(load(PICTURES / f"{name}.jpg").pixels, size) for name in NAMES[: chosen.pictures]]
    with tempfile.TemporaryDirectory() as folder:
        bench = prepare(Path(folder), model, pictures)
        rows = []
        for found in run(bench, model, pictures, chosen):
            rows.append(found)
            print(found, file=sys.stderr)
        rows.extend(key_rows(bench))
        threshold = bench.owner.decision.threshold(3 * len(pictures))
    command = (
        f"python -m benchmarks.white_box --pictures {chosen.pictures} --steps {chosen.steps} "
        f"--budgets {' '.join(map(str, chosen.budgets))}{' --lasting' if chosen.lasting else ''}"
    )
    write(
        chosen.out,
        command=command,
        seed=0,
        n=len(pictures),
        rows=rows,
        model=bench.owner.model.id,
        threshold=round(threshold, 4),
        gradients=torch.cuda.get_device_name() if chosen.device == "cuda" else chosen.device,
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
