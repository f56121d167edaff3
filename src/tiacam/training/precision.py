"""How the weights of a shipped graph are stored: full, half, or eight bits with quantised arithmetic."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from tiacam.training.whole_numbers import NOTHING, quantise

SMALL = 64  # tensors with fewer values than this stay in fp32: they cost nothing and are often constants


class Precision(StrEnum):
    """`fp16` halves the file and computes as before; `int8` quarters it and takes half the time, in whole numbers."""

    FP32 = "fp32"
    FP16 = "fp16"
    INT8 = "int8"


def store(
    path: Path, precision: Precision, pixels: NDArray[np.uint8] | None = None, exact: str = NOTHING
) -> None:
    """Rewrite the fp32 graph in `path`.

    int8 needs typical pictures (N, S, S, 3) for the ranges of activations, and a pattern of the names of what should
    stay `exact`.
    """
    if precision is Precision.FP16:
        onnx.save(halve_weights(onnx.load(str(path))), str(path))
    elif precision is Precision.INT8:
        if pixels is None:
            raise ValueError("int8 needs pictures to measure the ranges of activations on")
        quantise(path, pixels, exact)
        onnx.save(halve_weights(onnx.load(str(path)), least_axes=2), str(path))  # scales stay whole


def halve_weights(model: onnx.ModelProto, least_axes: int = 0) -> onnx.ModelProto:
    """Store fp32 weights as fp16 with a cast behind each; onnxruntime folds the casts when it loads the graph.

    Those with fewer than `least_axes` stay as they are.
    """
    casts = []
    for tensor in model.graph.initializer:
        values = numpy_helper.to_array(tensor)
        if tensor.data_type != TensorProto.FLOAT or values.size < SMALL or values.ndim < least_axes:
            continue
        name = tensor.name
        tensor.CopyFrom(numpy_helper.from_array(values.astype(np.float16), f"{name}.half"))
        casts.append(helper.make_node("Cast", [f"{name}.half"], [name], to=TensorProto.FLOAT))
    nodes = [*casts, *model.graph.node]
    del model.graph.node[:]
    model.graph.node.extend(nodes)
    onnx.checker.check_model(model)
    return model


def initialisers(path: Path) -> Iterator[tuple[str, str]]:
    """Name and type of every stored tensor."""
    for tensor in onnx.load(str(path)).graph.initializer:
        yield tensor.name, TensorProto.DataType.Name(tensor.data_type)
