"""The shipped ONNX file as a torch module: what an attacker who downloads the package can differentiate.

Only the operators that our graphs use; any other is an error. Weights are constants, gradients flow to the input alone.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
from torch import Tensor, nn
from torch.nn import functional

from tiacam.model import card_path, read_card

Attributes = dict[str, Any]
Operator = Callable[..., Tensor]
TINY = 1e-12  # whole numbers reach zero, whose root has no gradient; all that our graphs take powers of is positive
TYPES = {1: torch.float32, 7: torch.int64, 10: torch.float32}  # half precision only stores weights


def conv(attributes: Attributes, x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    top, left, bottom, right = attributes.get("pads", [0, 0, 0, 0])
    padded = functional.pad(x, (left, right, top, bottom))
    stride, groups = attributes.get("strides", 1), attributes.get("group", 1)
    return functional.conv2d(padded, weight, bias, stride=stride, groups=groups)


def pad(_: Attributes, x: Tensor, pads: Tensor, *_value: Tensor) -> Tensor:
    begins, ends = pads.tolist()[: x.ndim], pads.tolist()[x.ndim :]
    pairs = [pair for axis in reversed(range(x.ndim)) for pair in (begins[axis], ends[axis])]
    return functional.pad(x, pairs)


def slice_(_: Attributes, x: Tensor, starts: Tensor, ends: Tensor, axes: Tensor, steps: Tensor) -> Tensor:
    """With negative steps, too, which torch does not slice by."""
    found = x.numpy()
    for start, end, axis, step in zip(*(one.tolist() for one in (starts, ends, axes, steps)), strict=True):
        index: list[Any] = [slice(None)] * found.ndim
        stop = None if step < 0 and end < -found.shape[axis] else end
        index[axis] = slice(start, stop, step)
        found = found[tuple(index)]
    return torch.from_numpy(found.copy())


def gemm(attributes: Attributes, x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    return x @ (weight.T if attributes.get("transB") else weight) + bias


def normalise(
    attributes: Attributes, x: Tensor, weight: Tensor, bias: Tensor, mean: Tensor, var: Tensor
) -> Tensor:
    return functional.batch_norm(x, mean, var, weight, bias, eps=attributes["epsilon"])


def along(axis: int, x: Tensor, per_channel: Tensor) -> Tensor:
    """One number for all of x, or one for each entry of an axis."""
    if per_channel.ndim == 0:
        return per_channel
    return per_channel.reshape([-1 if dim == axis else 1 for dim in range(x.ndim)])


def quantise(attributes: Attributes, x: Tensor, scale: Tensor, zero: Tensor) -> Tensor:
    """To whole numbers, kept as floats; the gradient is that of what was not rounded."""
    axis = attributes.get("axis", 1)
    low, high = (0, 255) if zero.dtype == torch.uint8 else (-128, 127)
    exact = (x / along(axis, x, scale) + along(axis, x, zero)).clamp(low, high)
    return exact + (exact.round() - exact).detach()


def dequantise(attributes: Attributes, x: Tensor, scale: Tensor, zero: Tensor) -> Tensor:
    axis = attributes.get("axis", 1)
    return (x.float() - along(axis, x, zero)) * along(axis, x, scale)


OPERATORS: dict[str, Operator] = {
    "Add": lambda _, x, y: x + y,
    "BatchNormalization": normalise,
    "Cast": lambda attributes, x: x.to(TYPES[attributes["to"]]),
    "Clip": lambda _, x, low=None, high=None: x.clamp(low, high),
    "Concat": lambda attributes, *parts: torch.cat(parts, dim=attributes["axis"]),
    "Constant": lambda attributes: torch.from_numpy(onnx.numpy_helper.to_array(attributes["value"]).copy()),
    "ConstantOfShape": lambda attributes, shape: torch.full(
        shape.tolist(), onnx.numpy_helper.to_array(attributes["value"]).item()
    ),
    "Conv": conv,
    "DequantizeLinear": dequantise,
    "Div": lambda _, x, y: x / y,
    "Expand": lambda _, x, shape: x.expand(torch.broadcast_shapes(x.shape, shape.tolist())),
    "Gemm": gemm,
    "MatMul": lambda _, x, y: x @ y,
    "Mul": lambda _, x, y: x * y,
    "Pad": pad,
    "Pow": lambda _, x, y: x.clamp(min=TINY) ** y,
    "QuantizeLinear": quantise,
    "Reciprocal": lambda _, x: 1 / x,
    "ReduceL2": lambda attributes, x, axes: x.norm(
        dim=axes.tolist(), keepdim=bool(attributes.get("keepdims", 1))
    ),
    "ReduceMean": lambda attributes, x, axes: x.mean(
        dim=axes.tolist(), keepdim=bool(attributes.get("keepdims", 1))
    ),
    "Reshape": lambda _, x, shape: x.reshape(shape.tolist()),
    "Shape": lambda _, x: torch.tensor(x.shape),
    "Slice": slice_,
    "Sub": lambda _, x, y: x - y,
    "Transpose": lambda attributes, x: x.permute(attributes["perm"]),
}


class OnnxModule(nn.Module):
    """One input, one output, evaluated node by node; what depends on no input is worked out once."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        graph = onnx.load(str(path)).graph
        unknown = {node.op_type for node in graph.node} - OPERATORS.keys()
        if unknown:
            raise ValueError(f"{path.name} has operators that are not written here: {sorted(unknown)}")
        self._input, self._output = graph.input[0].name, graph.output[0].name
        self._constants = {tensor.name: constant(tensor) for tensor in graph.initializer}
        self._nodes = []
        for node in graph.node:
            attributes = {one.name: onnx.helper.get_attribute_value(one) for one in node.attribute}
            if all(not name or name in self._constants for name in node.input):
                self._constants[node.output[0]] = self._apply_node(node, attributes, self._constants)
            else:
                self._nodes.append((node, attributes))

    def forward(self, pixels: Tensor) -> Tensor:
        known = {name: move(value, pixels.device) for name, value in self._constants.items()}
        known[self._input] = pixels
        for node, attributes in self._nodes:
            known[node.output[0]] = self._apply_node(node, attributes, known)
        return known[self._output]

    @staticmethod
    def _apply_node(node: Any, attributes: Attributes, known: dict[str, Tensor]) -> Tensor:
        arguments = [known[name] if name else None for name in node.input]
        return OPERATORS[node.op_type](attributes, *arguments)


class WholeModel(nn.Module):
    """Pixels (B, 3, S, S) in [0, 1] → the whitened unit feature, as a shipped graph and its card compute it."""

    mean: Tensor
    scale: Tensor

    def __init__(self, model: str) -> None:
        super().__init__()
        path = card_path(model)
        card = read_card(path)
        self.model, self.size, self.width = card.id, card.input_size, card.feature_width
        self.graph = OnnxModule(path.parent / card.file)
        self.register_buffer("mean", torch.from_numpy(card.whitening.mean.copy()))
        self.register_buffer("scale", torch.from_numpy(card.whitening.scale.copy()))

    def forward(self, image: Tensor) -> Tensor:
        embedding = self.graph(255 * image.permute(0, 2, 3, 1))  # (B, D)
        return functional.normalize((embedding - self.mean) * self.scale)


def constant(tensor: Any) -> Tensor:
    value = np.array(onnx.numpy_helper.to_array(tensor))
    return torch.from_numpy(value.astype(np.float32) if value.dtype == np.float16 else value)


def move(value: Tensor, device: torch.device) -> Tensor:
    """Weights go where the pictures are; shapes stay, because they are read on the host."""
    return value.to(device) if value.is_floating_point() else value
