"""A graph in whole numbers of eight bits: half the time of a pass, the same sums on every processor.

Additions and limits are quantised with the convolutions: otherwise every layer goes back to fractions and forth
again, which costs most of the time that is won, and more than half of the accuracy that is lost.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import numpy_helper

QUANTISED = ["Conv", "Add", "Clip"]
NOTHING = "(?!)"
CALIBRATION_BATCH = 8
LEVELS = 127  # of a weight to either side of zero
LEAST_SCALE = 1e-9  # of a channel whose weights are all zero

Values = NDArray[np.float32]


def quantise(path: Path, pixels: NDArray[np.uint8], exact: str = NOTHING) -> None:
    """Rewrite the graph in `path`: weights channel by channel, activations by their ranges on these pictures.

    Nodes whose names begin with the pattern `exact` stay as they are: first layers, whose error all others take over
    and which lose no time by it, and places, which need more than 256 steps.
    """
    from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_static

    batches = iter(np.array_split(pixels, max(1, len(pixels) // CALIBRATION_BATCH)))

    class Reader(CalibrationDataReader):  # type: ignore[misc]  # onnxruntime is not annotated
        def get_next(self) -> dict[str, NDArray[np.uint8]] | None:
            batch = next(batches, None)
            return None if batch is None else {"pixels": batch}

    with TemporaryDirectory() as folder:
        prepared = Path(folder) / "prepared.onnx"
        fold_constants(path, prepared)
        model = onnx.load(str(prepared))
        quantize_static(
            str(prepared),
            str(path),
            Reader(),
            quant_format=QuantFormat.QDQ,
            op_types_to_quantize=QUANTISED,
            nodes_to_exclude=[node.name for node in model.graph.node if re.match(exact, node.name)],
            per_channel=True,
            weight_type=QuantType.QInt8,
            activation_type=QuantType.QUInt8,
            extra_options={"TensorQuantOverrides": dict(overrides(model, QuantType.QInt8))},
        )


def fold_constants(path: Path, prepared: Path) -> None:
    """Write the graph with everything computed that depends on no picture."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
    options.optimized_model_filepath = str(prepared)
    onnxruntime.InferenceSession(path.read_bytes(), options, providers=["CPUExecutionProvider"])


def overrides(model: onnx.ModelProto, kind: Any) -> Iterator[tuple[str, list[Mapping[str, Any]]]]:
    """The scales of all weights that take part in products of matrices, channel by channel, by their names.

    Depth-wise convolutions are left to themselves: they are summed in 32 bits everywhere.
    """
    stored = {tensor.name: tensor for tensor in model.graph.initializer}
    for node in model.graph.node:
        if node.op_type != "Conv" or node.input[1] not in stored:
            continue
        weight = numpy_helper.to_array(stored[node.input[1]])
        if weight.shape[1] > 1:
            scales = safe_scales(weight)
            zero = np.int8(0)
            yield (
                node.input[1],
                [{"quant_type": kind, "axis": 0, "scale": scale, "zero_point": zero} for scale in scales],
            )


def safe_scales(weight: Values) -> Values:
    """What one step of each channel (O, I, H, W) stands for, so that no two products together leave 16 bits.

    Processors without instructions made for this (before VNNI) multiply neighbouring channels, activations up to 255,
    and add both products in 16 bits, which cuts off what is larger. With 7 bits a weight it never is, but that costs
    more than is needed: it is enough that two neighbours together stay below 128. Of weights with a height and
    a width the order is not ours to know, so they do get 7 bits.
    """
    rows = np.abs(weight.reshape(len(weight), -1))
    if weight.shape[2:] == (1, 1):
        even = np.pad(rows, ((0, 0), (0, rows.shape[1] % 2)))
        # A weight alone stays below its pair. Rounded, two gain at most one step, and 128 steps still fit.
        scales = (even[:, 0::2] + even[:, 1::2]).max(axis=1) / LEVELS
    else:
        scales = rows.max(axis=1) / (LEVELS // 2)
    return np.asarray(np.maximum(scales, LEAST_SCALE), np.float32)
