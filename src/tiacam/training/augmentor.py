"""The augmentor's pretraining as a whole: six modules in turn, measured on held-out pictures, weights on disk."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from time import monotonic
from typing import Any

import torch
from torch import nn

from tiacam.augment import AutoAugmentor, CompressionParams, Distortion
from tiacam.data import read_pictures, read_shards
from tiacam.errors import DataError

from .curves import merge_curves
from .devices import describe_device
from .pairs import Pairs, make_pairs
from .pretraining import Likeness, Pretraining, PretrainSettings, measure
from .record import write_record
from .seeds import derive_seed
from .targets import Pixels

Row = dict[str, Any]


@dataclass(frozen=True)
class AugmentorRun:
    """Everything that a run depends on."""

    data: Path  # folder with shard-*.tar
    heldout: Path  # tar of pictures that training never sees
    out: Path
    settings: Mapping[str, PretrainSettings]  # by module, in the order of training
    device: torch.device
    width: int  # of the U-Nets and the ResNet; 64 is the paper's
    size: int = 128
    pairs: int = 10_000
    heldout_pairs: int = 1_000
    seed: int = 0
    resume: bool = False
    command: str = ""

    @property
    def work(self) -> Path:
        """Where checkpoints and curves of single modules lie."""
        return self.out / "checkpoints"


def pretrain_augmentor(run: AugmentorRun) -> list[Row]:
    """Train what is not yet trained; write NAME.pt for each module, curves.csv and augmentor.json to `run.out`."""
    train = read_shards(run.data, run.size, run.pairs)
    heldout = read_pictures([run.heldout], run.size, run.heldout_pairs)
    torch.backends.cudnn.benchmark = True  # all batches have one shape
    torch.manual_seed(derive_seed(run.seed, "weights"))
    augmentor = AutoAugmentor.build(run.width)
    rows = [pretrain_module(run, augmentor.distortion(name), train, heldout) for name in run.settings]
    merge_curves({name: run.work / f"{name}.csv" for name in run.settings}, run.out / "curves.csv")
    write_record(
        run.out / "augmentor.json",
        rows,
        command=run.command,
        seed=run.seed,
        device=describe_device(run.device),
        n=len(heldout),
    )
    return rows


def pretrain_module(run: AugmentorRun, module: Distortion[Any], train: Pixels, heldout: Pixels) -> Row:
    """One module from pairs to weights and its row of the record."""
    finished = run.work / f"{module.name}.json"
    if run.resume and finished.exists():
        return dict(json.loads(finished.read_text(encoding="utf-8")))
    start = monotonic()
    module.to(run.device)
    checks = make_pairs(module, heldout, run.heldout_pairs, run.seed, run.device, "heldout")
    before = measure(module, checks)
    pairs = make_pairs(module, train, run.pairs, run.seed, run.device)
    prepared = monotonic()
    training = Pretraining(module, pairs, run.settings[module.name], run.work, run.seed)
    if run.resume:
        training.resume()
    training.run()
    row = {
        **describe(module, checks, before),
        **asdict(run.settings[module.name]),
        "pairs": len(pairs),
        "width": run.width,
        "seconds_targets": prepared - start,
        "seconds_training": monotonic() - prepared,
    }
    save_module(module, run.width, run.out)
    finished.write_text(json.dumps(row), encoding="utf-8")
    module.cpu()
    return row


def describe(module: Distortion[Any], checks: Pairs, before: Likeness) -> Row:
    """The module's likeness to the real distortion beside no distortion, the bare operator and the untrained state."""
    after, none, operator = measure(module, checks), measure(None, checks), measure_operator(module, checks)
    row: Row = {"name": module.name, "n": len(checks)}
    for suffix, likeness in (("", after), ("_none", none), ("_operator", operator), ("_before", before)):
        row |= {f"{name}{suffix}": value for name, value in asdict(likeness).items()}
    if isinstance(checks.params, CompressionParams):
        row["codecs"] = [describe_codec(module, checks, webp) for webp in (False, True)]
    assert module.network is not None
    return {**row, "parameters": sum(parameter.numel() for parameter in module.network.parameters())}


def describe_codec(module: Distortion[Any], checks: Pairs, webp: bool) -> Row:
    """The same for the pictures of one codec."""
    assert isinstance(checks.params, CompressionParams)
    part = checks.pick((checks.params.webp > 0.5) == webp)
    row: Row = {"codec": "webp" if webp else "jpeg", "n": len(part)}
    for suffix, likeness in (("", measure(module, part)), ("_none", measure(None, part))):
        row |= {f"{name}{suffix}": value for name, value in asdict(likeness).items()}
    return {
        **row,
        **{f"{name}_operator": value for name, value in asdict(measure_operator(module, part)).items()},
    }


def measure_operator(module: Distortion[Any], checks: Pairs) -> Likeness:
    """The module without its network."""
    network, module.network = module.network, None
    try:
        return measure(module, checks)
    finally:
        module.network = network


def save_module(module: Distortion[Any], width: int, folder: Path) -> None:
    """The module's parameters in half precision, with what is needed to build it again."""
    folder.mkdir(parents=True, exist_ok=True)
    state = {name: value.half().cpu() for name, value in module.state_dict().items()}
    torch.save({"name": module.name, "width": width, "state": state}, folder / f"{module.name}.pt")


def load_augmentor(folder: Path) -> AutoAugmentor:
    """The pretrained augmentor that `pretrain_augmentor` left in a folder."""
    files = sorted(path for path in folder.glob("*.pt"))
    if not files:
        raise DataError(f"{folder} holds no NAME.pt of a pretrained augmentor")
    contents = [torch.load(path, map_location="cpu", weights_only=True) for path in files]
    augmentor = AutoAugmentor.build(int(contents[0]["width"]))
    for content in contents:
        load_state(augmentor.distortion(content["name"]), content["state"])
    return AutoAugmentor([augmentor.distortion(content["name"]) for content in contents])


def load_state(module: nn.Module, state: Mapping[str, torch.Tensor]) -> None:
    module.load_state_dict({name: value.float() for name, value in state.items()})
