"""Padding of its own nodes → padding of the convolutions behind them.

Strided layers pad more on one side, which torch says with a separate step. onnxruntime then leaves its blocked layout
before every such step and enters it again behind it: a fifth of a pass. A convolution can pad unevenly by itself.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx.reference import ReferenceEvaluator


def fold_padding(path: Path) -> int:
    """Rewrite the file at `path`; how many nodes went into their convolutions."""
    model = onnx.load(str(path))
    graph = model.graph
    folded = [node for node in graph.node if node.op_type == "Pad" and fold(model, node)]
    for node in folded:
        graph.node.remove(node)
    drop_unused(graph)
    onnx.checker.check_model(model)
    path.write_bytes(model.SerializeToString())
    return len(folded)


def fold(model: Any, pad: Any) -> bool:
    """Give the amounts of a zero padding to the convolution that alone reads it; False where that cannot be."""
    readers = [node for node in model.graph.node if pad.output[0] in node.input]
    plain = len(pad.input) < 3 or not pad.input[2]
    modes = [attribute.s for attribute in pad.attribute if attribute.name == "mode"]
    if not plain or modes not in ([], [b"constant"]) or [node.op_type for node in readers] != ["Conv"]:
        return False
    amounts = value_of(model, pad.input[1])  # begin and end of (batch, channel, row, column)
    if amounts[[0, 1, 4, 5]].any():
        return False
    (conv,) = readers
    own = next((attribute for attribute in conv.attribute if attribute.name == "pads"), None)
    if own is None:
        own = onnx.helper.make_attribute("pads", [0, 0, 0, 0])
        conv.attribute.append(own)
        own = conv.attribute[-1]
    own.ints[:] = [int(had + more) for had, more in zip(own.ints, amounts[[2, 3, 6, 7]], strict=True)]
    conv.input[0] = pad.input[0]
    return True


def value_of(model: Any, name: str) -> NDArray[np.int64]:
    """What a part of the graph that depends on no input computes."""
    needed, nodes = {name}, []
    for node in reversed(model.graph.node):
        if needed.intersection(node.output):
            needed.update(node.input)
            nodes.append(node)
    constants = [one for one in model.graph.initializer if one.name in needed]
    output = onnx.helper.make_tensor_value_info(name, onnx.TensorProto.INT64, None)
    part = onnx.helper.make_graph(nodes[::-1], "amounts", [], [output], constants)
    evaluator = ReferenceEvaluator(onnx.helper.make_model(part, opset_imports=model.opset_import))
    results: list[Any] = list(evaluator.run(None, {}))
    return np.asarray(results[0], np.int64)


def drop_unused(graph: Any) -> None:
    """Remove nodes whose results nobody reads any more, and the constants that only they read."""
    read = {value.name for value in graph.output}
    for node in reversed(list(graph.node)):
        if read.intersection(node.output):
            read.update(node.input)
        else:
            graph.node.remove(node)
    for constant in [one for one in graph.initializer if one.name not in read]:
        graph.initializer.remove(constant)
