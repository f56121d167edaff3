"""From a torch module to what ships: one ONNX file with fp16 weights, and its card."""

from __future__ import annotations

import hashlib
import json
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from torch import nn

from tiacam.model import ModelCard, Whitening
from tiacam.training.calibration import Calibration

OPSET = 18
SMALL = 64  # tensors with fewer values than this stay in fp32: they cost nothing and are often constants


@dataclass(frozen=True)
class Description:
    """What the card says in words."""

    name: str
    version: str
    summary: str
    preprocessing: str
    unseen: str  # the pictures that the null is measured on
    training: Mapping[str, Any]


def export_graph(module: nn.Module, size: int, path: Path) -> None:
    """Write `module` (uint8 (B, S, S, 3) → (B, D)) as ONNX with a free batch size and weights stored in fp16."""
    example = torch.zeros(2, size, size, 3, dtype=torch.uint8)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(
            module.eval(),
            (example,),
            str(path),
            input_names=["pixels"],
            output_names=["feature"],
            dynamic_axes={"pixels": {0: "batch"}, "feature": {0: "batch"}},
            opset_version=OPSET,
            dynamo=False,
        )
    model = onnx.load(str(path))
    onnx.save(halve_weights(model), str(path))


def halve_weights(model: onnx.ModelProto) -> onnx.ModelProto:
    """Store fp32 weights as fp16 with a cast behind each; onnxruntime folds the casts when it loads the graph."""
    casts = []
    for tensor in model.graph.initializer:
        values = numpy_helper.to_array(tensor)
        if tensor.data_type != TensorProto.FLOAT or values.size < SMALL:
            continue
        name = tensor.name
        tensor.CopyFrom(numpy_helper.from_array(values.astype(np.float16), f"{name}.half"))
        casts.append(helper.make_node("Cast", [f"{name}.half"], [name], to=TensorProto.FLOAT))
    nodes = [*casts, *model.graph.node]
    del model.graph.node[:]
    model.graph.node.extend(nodes)
    onnx.checker.check_model(model)
    return model


def write_card(path: Path, description: Description, size: int, calibration: Calibration) -> ModelCard:
    """The card beside the ONNX file `path`, with the file's hash."""
    card = ModelCard(
        name=description.name,
        version=description.version,
        summary=description.summary,
        file=path.name,
        sha256=hashlib.sha256(path.read_bytes()).hexdigest(),
        input_size=size,
        feature_width=len(calibration.mean),
        preprocessing=description.preprocessing,
        whitening=Whitening(calibration.mean, calibration.scale),
        null_dimensions=calibration.null_dimensions,
        null_evidence=calibration.null_evidence,
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
