"""From a torch module to what ships: one ONNX file and its card."""

from __future__ import annotations

import hashlib
import json
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from tiacam.model import ModelCard, Whitening
from tiacam.training.calibration import Null
from tiacam.training.padding import fold_padding
from tiacam.training.precision import Precision, store
from tiacam.training.whole_numbers import NOTHING

OPSET = 18


@dataclass(frozen=True)
class Description:
    """What the card says in words."""

    name: str
    version: str
    summary: str
    preprocessing: str
    unseen: str  # the pictures that the null is measured on
    training: Mapping[str, Any]


def export_graph(
    module: nn.Module,
    size: int,
    path: Path,
    precision: Precision = Precision.FP16,
    typical: NDArray[np.uint8] | None = None,
    *,
    free_size: bool = False,
    exact: str = NOTHING,
) -> None:
    """Write `module` (uint8 (B, S, S, 3) → (B, D)) as ONNX with a free batch size.

    With `free_size` it takes squares of other sizes as well. int8 needs typical pictures, and leaves the nodes whose
    names begin with the pattern `exact` as they are.
    """
    sides = {1: "side", 2: "side"} if free_size else {}
    example = torch.zeros(2, size, size, 3, dtype=torch.uint8)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(
            module.eval(),
            (example,),
            str(path),
            input_names=["pixels"],
            output_names=["feature"],
            dynamic_axes={"pixels": {0: "batch", **sides}, "feature": {0: "batch"}},
            opset_version=OPSET,
            dynamo=False,
        )
    if free_size:
        state_width(path, module(example).shape[-1])
    fold_padding(path)
    store(path, precision, typical, exact)


def state_width(path: Path, width: int) -> None:
    """Say in the file how many numbers an answer's last axis has, which a graph of free size does not tell."""
    import onnx

    model = onnx.load(str(path))
    model.graph.output[0].type.tensor_type.shape.dim[-1].dim_value = width
    path.write_bytes(model.SerializeToString())


def write_card(
    path: Path, description: Description, size: int, whitening: Whitening, null: Null
) -> ModelCard:
    """The card beside the ONNX file `path`, with the file's hash."""
    card = ModelCard(
        name=description.name,
        version=description.version,
        summary=description.summary,
        file=path.name,
        sha256=hashlib.sha256(path.read_bytes()).hexdigest(),
        input_size=size,
        feature_width=len(whitening.mean),
        preprocessing=description.preprocessing,
        whitening=whitening,
        null_dimensions=null.dimensions,
        null_evidence=null.evidence,
        training=description.training,
    )
    path.with_suffix(".json").write_text(json.dumps(card.to_json(), indent=1) + "\n", encoding="utf-8")
    return card


def largest_difference(module: nn.Module, path: Path, pixels: NDArray[np.uint8]) -> float:
    """How far the exported graph strays from the module, over the feature's own size."""
    import onnxruntime

    with torch.no_grad():
        wanted = module.eval()(torch.from_numpy(pixels)).numpy()
    session = onnxruntime.InferenceSession(path.read_bytes(), providers=["CPUExecutionProvider"])
    (got,) = session.run(None, {"pixels": pixels})
    return float(np.abs(got - wanted).max() / np.abs(wanted).max())
