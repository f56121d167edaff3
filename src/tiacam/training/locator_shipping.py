"""Making a trained locator into what ships: ONNX with preprocessing inside, its card, and the check of both."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from tiacam.features.locator import SIZE, LocatorNetwork, ShippedLocator
from tiacam.locate import LocatorCard
from tiacam.training.checkpoint import Checkpoint
from tiacam.training.export import export_graph, largest_difference

PREPROCESSING = f"sRGB squashed to {SIZE}x{SIZE}, uint8 NHWC; scaling is inside the graph"


def read_locator(path: Path) -> LocatorNetwork:
    """The averaged network of a training run."""
    network = LocatorNetwork()
    network.load_state_dict(Checkpoint.load(path).state["averaged"])
    return network.eval()


def ship_locator(
    network: LocatorNetwork, name: str, summary: str, training: Mapping[str, Any], folder: Path
) -> LocatorCard:
    """Write NAME.onnx and NAME.json."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.onnx"
    shipped = ShippedLocator(network).eval()
    export_graph(shipped, SIZE, path)
    card = LocatorCard(
        name=name,
        version="0",
        summary=summary,
        file=path.name,
        sha256=hashlib.sha256(path.read_bytes()).hexdigest(),
        input_size=SIZE,
        preprocessing=PREPROCESSING,
        training={**training, "onnx_against_torch": round(largest_difference(shipped, path, probe()), 6)},
    )
    path.with_suffix(".json").write_text(json.dumps(card.to_json(), indent=1) + "\n", encoding="utf-8")
    return card


def probe() -> NDArray[np.uint8]:
    """Smooth coloured photos, for comparing two forms of a network."""
    coarse = torch.rand(2, 3, 7, 7, generator=torch.Generator().manual_seed(0))
    fine = torch.nn.functional.interpolate(coarse, (SIZE, SIZE), mode="bilinear")
    return (fine * 255).byte().permute(0, 2, 3, 1).contiguous().numpy()
