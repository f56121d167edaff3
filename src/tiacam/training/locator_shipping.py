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
from tiacam.training.locator_photos import PhotoMaker
from tiacam.training.precision import Precision

# The first layers, the last one, and what makes corners of its answers.
EXACT = r"/(network/(stem|blocks\.[01]|head)/|Add|Clip)"
DRAWN_AT_ONCE = 16
LOOKED_AT = 192  # instead of what training draws: as much is read, for three quarters of the work
PREPROCESSING = (
    f"sRGB squashed to {LOOKED_AT}x{LOOKED_AT} (any other size is taken too; training draws photos of {SIZE}x{SIZE}), "
    "uint8 NHWC; scaling is inside the graph"
)


def read_locator(path: Path) -> LocatorNetwork:
    """The averaged network of a training run."""
    network = LocatorNetwork()
    network.load_state_dict(Checkpoint.load(path).state["averaged"])
    return network.eval()


def ship_locator(
    network: LocatorNetwork,
    name: str,
    summary: str,
    training: Mapping[str, Any],
    folder: Path,
    typical: NDArray[np.uint8] | None = None,
) -> LocatorCard:
    """Write NAME.onnx and NAME.json; with `typical` photos (N, 224, 224, 3) it computes in whole numbers.

    The file takes photos of other sizes too. Where corners are is left exact.
    """
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.onnx"
    shipped = ShippedLocator(network).eval()
    precision = Precision.FP16 if typical is None else Precision.INT8
    export_graph(shipped, SIZE, path, precision, typical, free_size=True, exact=EXACT)
    card = LocatorCard(
        name=name,
        version="0",
        summary=summary,
        file=path.name,
        sha256=hashlib.sha256(path.read_bytes()).hexdigest(),
        input_size=LOOKED_AT,
        preprocessing=PREPROCESSING,
        training={
            **training,
            "precision": str(precision),
            "onnx_against_torch": round(largest_difference(shipped, path, probe()), 6),
        },
    )
    path.with_suffix(".json").write_text(json.dumps(card.to_json(), indent=1) + "\n", encoding="utf-8")
    return card


def draw_photos(pictures: NDArray[np.uint8], generator: torch.Generator) -> NDArray[np.uint8]:
    """As many photos (N, 224, 224, 3) of pictures (N, H, W, 3) as there are pictures, as training draws them."""
    images = torch.from_numpy(pictures).permute(0, 3, 1, 2).float() / 255
    maker = PhotoMaker()
    batches = [min(DRAWN_AT_ONCE, len(images) - start) for start in range(0, len(images), DRAWN_AT_ONCE)]
    photos = torch.cat([maker(images, batch, SIZE, generator).photos for batch in batches])
    return (photos * 255).round().to(torch.uint8).permute(0, 2, 3, 1).contiguous().numpy()


def probe() -> NDArray[np.uint8]:
    """Smooth coloured photos, for comparing two forms of a network."""
    coarse = torch.rand(2, 3, 7, 7, generator=torch.Generator().manual_seed(0))
    fine = torch.nn.functional.interpolate(coarse, (SIZE, SIZE), mode="bilinear")
    return (fine * 255).byte().permute(0, 2, 3, 1).contiguous().numpy()
