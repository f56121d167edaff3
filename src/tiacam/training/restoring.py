"""A trainable tower out of a shipped ONNX file: training can go on where no checkpoint is left.

Export folds every batch normalisation of the backbone into the convolution before it. What is restored has them again,
fitted on pictures so that the tower computes what the file computes, with its outputs normalised as training expects.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from tiacam.errors import ModelFileError
from tiacam.features.anchor import ImageTower
from tiacam.features.efficientnet import EfficientNetLite0, InvertedBottleneck

OWN = (
    "pool.power",
    "norm.weight",
    "norm.bias",
    "norm.running_mean",
    "norm.running_var",
    "project.weight",
    "project.bias",
)
LEAST_VARIANCE = 1e-4


def restore_tower(path: Path, pictures: NDArray[np.uint8]) -> ImageTower:
    """The tower of an exported anchor model; `pictures` (N, S, S, 3) tell how large its activations are."""
    tower, biases = ImageTower(), dict[nn.BatchNorm2d, Tensor]()
    constants, convolutions = read_file(path)
    layers = list(normalised_convolutions(tower.backbone))
    if len(layers) != len(convolutions) or not all(f"tower.{name}" in constants for name in OWN):
        raise ModelFileError(f"{path} is not an exported anchor model: its layers differ")
    tower.load_state_dict({name: constants[f"tower.{name}"] for name in OWN}, strict=False)
    for (layer, norm), (weight, bias) in zip(layers, convolutions, strict=True):
        if layer.weight.shape != weight.shape:
            raise ModelFileError(
                f"{path} is not an exported anchor model: a layer has shape {tuple(weight.shape)}"
            )
        layer.weight.data.copy_(weight)
        biases[norm] = bias
    handles = [norm.register_forward_pre_hook(fitting(biases[norm])) for _, norm in layers]
    with torch.no_grad():
        tower.eval()(torch.from_numpy(pictures).permute(0, 3, 1, 2).float() / 255)
    for handle in handles:
        handle.remove()
    return tower.train()


def fitting(bias: Tensor) -> Callable[[nn.Module, tuple[Tensor]], None]:
    """A hook that sets a normalisation, just before it is used, so that it adds `bias` and nothing else."""

    def fit(norm: nn.Module, given: tuple[Tensor]) -> None:
        assert isinstance(norm, nn.BatchNorm2d)
        (x,) = given
        mean, variance = x.mean(dim=(0, 2, 3)), x.var(dim=(0, 2, 3)).clamp_min(LEAST_VARIANCE)
        assert norm.running_mean is not None
        assert norm.running_var is not None
        norm.running_mean.copy_(mean)
        norm.running_var.copy_(variance)
        norm.weight.data.copy_((variance + norm.eps).sqrt())
        norm.bias.data.copy_(bias + mean)

    return fit


def normalised_convolutions(backbone: EfficientNetLite0) -> list[tuple[nn.Conv2d, nn.BatchNorm2d]]:
    """Every convolution with its normalisation, in the order in which a picture passes them."""
    pairs: list[tuple[Any, Any]] = [(backbone.stem, backbone.stem_norm)]
    for block in backbone.blocks:
        assert isinstance(block, InvertedBottleneck)
        if isinstance(block.expand, nn.Sequential):
            pairs.append((block.expand[0], block.expand[1]))
        pairs += [(block.depthwise, block.depthwise_norm), (block.project, block.project_norm)]
    return [*pairs, (backbone.head, backbone.head_norm)]


def read_file(path: Path) -> tuple[dict[str, Tensor], list[tuple[Tensor, Tensor]]]:
    """Constants by name in single precision, and weight and bias of every convolution in order."""
    import onnx
    from onnx import numpy_helper

    try:
        graph = onnx.load(str(path)).graph
    except Exception as error:  # onnx and protobuf raise unrelated classes
        raise ModelFileError(f"cannot read {path} as an ONNX file: {error}") from error
    stored = {
        one.name.removesuffix(".half"): torch.from_numpy(numpy_helper.to_array(one).astype(np.float32))
        for one in graph.initializer
    }
    names = [node.input[1:3] for node in graph.node if node.op_type == "Conv"]
    return stored, [(known(stored, weight), known(stored, bias)) for weight, bias in names]


def known(stored: dict[str, Tensor], name: str) -> Tensor:
    found = stored.get(name.removesuffix(".half"))
    if found is None:
        raise ModelFileError(f"the ONNX file keeps no constant {name}")
    return found
