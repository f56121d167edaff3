"""Linear probes (S6): how well a linear classifier on frozen features tells classes apart, clean and distorted.

    python -m benchmarks.probes measure anchor-0 --sets imagenette=DIR cifar10=TAR caltech101=DIR --out probes.json
    python -m benchmarks.probes record probes.json

A set is a folder or a tar archive of pictures in class folders, with train/ and val/ or test/ above them, or without
and then split at random: Imagenette, CIFAR, Caltech-101 and Caltech-256 come or unpack like this, COCO is made so by
benchmarks.coco_objects. The classifier sees clean pictures in training and distorted ones in the test. Written:
results/probes--MODEL.json; sets that are not measured anew keep their rows.
"""

from __future__ import annotations

import argparse
import json
import shlex
import sys
from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from benchmarks.baselines.attacking import attack_all, open_pool
from benchmarks.baselines.class_folders import ClassSet, read_classes
from benchmarks.baselines.embedding import Embedder, open_embedder
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from tiacam.capture.attacks import Group, attacks_of
from tiacam.evaluate.metrics import estimate_rate
from tiacam.evaluate.record import Result, Row, read_result, result_path
from tiacam.image import square

DECAYS = (1e-4, 1e-3, 1e-2)  # of the weights' squares; the best on a tenth of the training pictures is taken
ITERATIONS = 60
CLEAN = "Clean"

Features = NDArray[np.float32]
Pixels = NDArray[np.uint8]


def fit(features: Tensor, labels: Tensor, classes: int, decay: float) -> Tensor:
    """Weights (D + 1, classes) of a softmax regression."""
    weights = torch.zeros(features.shape[1] + 1, classes, requires_grad=True)
    optimizer = torch.optim.LBFGS([weights], max_iter=ITERATIONS, line_search_fn="strong_wolfe")

    def close() -> Tensor:
        optimizer.zero_grad()
        loss = (
            functional.cross_entropy(score(features, weights), labels) + decay * weights[:-1].square().sum()
        )
        loss.backward()
        return loss

    optimizer.step(close)
    return weights.detach()


def score(features: Tensor, weights: Tensor) -> Tensor:
    return features @ weights[:-1] + weights[-1]


def choose(features: Tensor, labels: Tensor, classes: int) -> Tensor:
    """Weights under the decay that does best on every tenth picture."""
    held = torch.arange(len(features)) % 10 == 0
    accuracies = {}
    for decay in DECAYS:
        weights = fit(features[~held], labels[~held], classes, decay)
        accuracies[decay] = float((score(features[held], weights).argmax(1) == labels[held]).float().mean())
    return fit(features, labels, classes, max(accuracies, key=lambda decay: accuracies[decay]))


def hits(scores: Tensor, labels: Tensor) -> dict[str, list[int]]:
    """1 for each test picture whose class is the first, or among the first five."""
    ranked = scores.topk(min(5, scores.shape[1]), dim=1).indices == labels[:, None]
    return {"Top-1": ranked[:, 0].int().tolist(), "Top-5": ranked.any(1).int().tolist()}


def probe(embedder: Embedder, found: ClassSet, shown: dict[str, Pixels]) -> dict[str, dict[str, list[int]]]:
    """Hits of one model on one set under every condition."""
    train = torch.from_numpy(embedder.embed(shown["train"]))
    mean, deviation = train.mean(0), train.std(0) + 1e-6
    weights = choose((train - mean) / deviation, torch.from_numpy(found.train_labels), len(found.classes))
    labels = torch.from_numpy(found.test_labels)
    return {
        condition: hits(
            score((torch.from_numpy(embedder.embed(pictures)) - mean) / deviation, weights), labels
        )
        for condition, pictures in shown.items()
        if condition != "train"
    }


def show(pool: Executor, found: ClassSet, size: int, seed: int) -> dict[str, Pixels]:
    """Training pictures, clean test pictures and those under the six distortions, at the model's size."""
    shown = {"train": enlarge(found.train, size), CLEAN: enlarge(found.test, size)}
    for attack in attacks_of(Group.DISTORTION):
        if attack.name != "all":
            shown[str(attack.paper)] = attack_all(pool, list(found.test), attack.name, size, seed)
    return shown


def enlarge(pictures: Pixels, size: int) -> Pixels:
    return np.stack([square(picture, size) for picture in pictures])


def measure(options: argparse.Namespace) -> dict[str, Any]:
    """Hits by model, set and condition."""
    models = [open_embedder(model, options.device) for model in options.models]
    content: dict[str, Any] = {"models": {model.id: {} for model in models}, "sets": {}, "seed": options.seed}
    with open_pool(options.workers) as pool:
        for given in options.sets:
            name, _, place = given.partition("=")
            found = read_classes(Path(place), options.train, options.test, options.seed)
            content["sets"][name] = [len(found.train), len(found.test), len(found.classes)]
            shown = {size: show(pool, found, size, options.seed) for size in {model.size for model in models}}
            for model in models:
                content["models"][model.id][name] = probe(model, found, shown[model.size])
                print(f"{name}: {model.name} probed", file=sys.stderr)
    return content


def join(contents: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Several runs of one seed as one: their models' sets side by side."""
    whole: dict[str, Any] = {"models": {}, "sets": {}, "seed": contents[0]["seed"]}
    for content in contents:
        whole["sets"] |= content["sets"]
        for model, sets in content["models"].items():
            whole["models"].setdefault(model, {}).update(sets)
    return {**whole, "command": "; ".join(content["command"] for content in contents)}


def write_records(content: dict[str, Any], command: str, folder: Path) -> None:
    """One record a model; a row's name says the set, its classes and pictures, and the condition.

    Rows of other sets that the model's record has already are kept, and so is the command that gave them.
    """
    from benchmarks.baselines.results import record

    for model, sets in content["models"].items():
        kept = kept_record(folder, model, content["seed"], set(sets))
        rows = list(kept.rows) if kept else []
        for name, conditions in sets.items():
            train, test, classes = content["sets"][name]
            for condition, found in conditions.items():
                label = f"{name} ({classes} classes, {train} train, {test} test): {condition}"
                rows += [
                    Row.of(label, metric, estimate_rate(np.array(ones, np.float64)))
                    for metric, ones in found.items()
                ]
        most = max(content["sets"][name][1] for name in sets)
        commands = [kept.command, command] if kept else [command]
        most = max(most, kept.n) if kept else most
        record(folder, "probes", model, "; ".join(commands), content["seed"], most, rows)


def kept_record(folder: Path, model: str, seed: int, fresh: set[str]) -> Result | None:
    """What an earlier record of the very model has of sets that are not measured anew; None without any."""
    path = result_path(folder, "probes", model)
    if not path.exists():
        return None
    found = read_result(path, table="probes")
    rows = tuple(row for row in found.rows if row.name.partition(" ")[0] not in fresh)
    return replace(found, rows=rows) if rows and (found.model, found.seed) == (model, seed) else None


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parts = parser.add_subparsers(dest="part", required=True)
    first = parts.add_parser("measure")
    first.add_argument("models", nargs="+", help="names, cards (.json) or weights (.pt)")
    first.add_argument("--sets", nargs="+", required=True, metavar="NAME=PLACE")
    first.add_argument("--train", type=int, default=2000)
    first.add_argument("--test", type=int, default=1000)
    first.add_argument("--workers", type=int, default=2)
    first.add_argument("--device", default="auto")
    first.add_argument("--seed", type=int, default=0)
    first.add_argument("--out", type=Path, required=True)
    second = parts.add_parser("record")
    second.add_argument("hits", nargs="+", type=Path, help="files of `measure`, of different sets")
    second.add_argument("--out", type=Path, default=Path("results"))
    options = parser.parse_args(arguments)

    command = f"python -m benchmarks.probes {shlex.join(sys.argv[1:])}"
    if options.part == "measure":
        content = {"command": command, **measure(options)}
        options.out.parent.mkdir(parents=True, exist_ok=True)
        options.out.write_text(json.dumps(content), encoding="utf-8")
    else:
        content = join([json.loads(path.read_text(encoding="utf-8")) for path in options.hits])
        write_records(content, content["command"], options.out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
