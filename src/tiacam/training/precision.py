"""How the weights of a shipped graph are stored: full, half, or eight bits with quantised arithmetic."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

SMALL = 64  # tensors with fewer values than this stay in fp32: they cost nothing and are often constants
QUANTISED = ["Conv", "Gemm", "MatMul"]
CALIBRATION_BATCH = 8


class Precision(StrEnum):
    """`fp16` halves the file and computes as before; `int8` quarters it and computes in whole numbers."""

    FP32 = "fp32"
    FP16 = "fp16"
    INT8 = "int8"


def store(path: Path, precision: Precision, pixels: NDArray[np.uint8] | None = None) -> None:
    """Rewrite the fp32 graph in `path`; int8 needs typical pictures (N, S, S, 3) for the ranges of activations."""
    if precision is Precision.FP16:
        onnx.save(halve_weights(onnx.load(str(path))), str(path))
    elif precision is Precision.INT8:
        if pixels is None:
            raise ValueError("int8 needs pictures to measure the ranges of activations on")
        quantise(path, pixels)


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


def quantise(path: Path, pixels: NDArray[np.uint8]) -> None:
    """Weights per channel, activations by their ranges on these pictures; what is no product stays in fp32."""
    from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_static
    from onnxruntime.quantization.shape_inference import quant_pre_process

    batches = iter(np.array_split(pixels, max(1, len(pixels) // CALIBRATION_BATCH)))

    class Reader(CalibrationDataReader):  # type: ignore[misc]  # onnxruntime is not annotated
        def get_next(self) -> dict[str, NDArray[np.uint8]] | None:
            batch = next(batches, None)
            return None if batch is None else {"pixels": batch}

    with TemporaryDirectory() as folder:
        prepared = Path(folder) / "prepared.onnx"
        quant_pre_process(str(path), str(prepared), skip_symbolic_shape=True)
        quantize_static(
            str(prepared),
            str(path),
            Reader(),
            quant_format=QuantFormat.QDQ,
            reduce_range=True,  # processors without VNNI add pairs of products in 16 bits, which would overflow
            op_types_to_quantize=QUANTISED,
            per_channel=True,
            weight_type=QuantType.QInt8,
            activation_type=QuantType.QUInt8,
        )


def initialisers(path: Path) -> Iterator[tuple[str, str]]:
    """Name and type of every stored tensor."""
    for tensor in onnx.load(str(path)).graph.initializer:
        yield tensor.name, TensorProto.DataType.Name(tensor.data_type)
