"""A trainable network out of a shipped ONNX file: training can go on where no checkpoint is left.

Export folds every batch normalisation into the convolution before it. What is restored has them again,
fitted on pictures so that the tower computes what the file computes, with its outputs normalised as training expects.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from tiacam.errors import ModelFileError
from tiacam.features.anchor import ImageTower
from tiacam.features.efficientnet import stages_of
from tiacam.features.locator import LocatorNetwork

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
    constants, convolutions = read_file(path)
    if not all(f"tower.{name}" in constants for name in OWN):
        raise ModelFileError(f"{path} is not an exported anchor model: its layers differ")
    # the stem, two convolutions of the first block, three of every other, the head
    tower = ImageTower(stages_of([weight.shape[0] for weight, _ in convolutions[2:-1:3]]))
    tower.load_state_dict({name: constants[f"tower.{name}"] for name in OWN}, strict=False)
    fill(tower, convolutions, pictures, f"{path} is not an exported anchor model")
    return tower.train()


def restore_locator(path: Path, pictures: NDArray[np.uint8]) -> LocatorNetwork:
    """The network of an exported locator, likewise."""
    network = LocatorNetwork()
    fill(network, read_file(path)[1], pictures, f"{path} is not an exported locator")
    return network.train()


def fill(
    network: nn.Module,
    convolutions: Sequence[tuple[Tensor, Tensor]],
    pictures: NDArray[np.uint8],
    trouble: str,
) -> None:
    """Put the file's convolutions into the network's, in the order in which a picture passes them."""
    images = torch.from_numpy(pictures).permute(0, 3, 1, 2).float() / 255
    network.eval()
    layers = passed_layers(network, images[:1])
    if len(layers) != len(convolutions):
        raise ModelFileError(f"{trouble}: {len(convolutions)} convolutions, wanted {len(layers)}")
    handles = []
    for (layer, norm), (weight, bias) in zip(layers, convolutions, strict=True):
        if layer.weight.shape != weight.shape:
            raise ModelFileError(f"{trouble}: a layer has shape {tuple(weight.shape)}")
        layer.weight.data.copy_(weight)
        if norm is not None:
            handles.append(norm.register_forward_pre_hook(fitting(bias)))
        elif layer.bias is not None:
            layer.bias.data.copy_(bias)
    with torch.no_grad():
        network(images)
    for handle in handles:
        handle.remove()


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


def passed_layers(network: nn.Module, image: Tensor) -> list[tuple[nn.Conv2d, nn.BatchNorm2d | None]]:
    """Every convolution, and the normalisation behind it, in the order in which a picture passes them."""
    order: list[nn.Module] = []
    kinds = (nn.Conv2d, nn.BatchNorm2d)
    handles = [
        module.register_forward_hook(lambda module, *_: order.append(module))
        for module in network.modules()
        if isinstance(module, kinds)
    ]
    with torch.no_grad():
        network(image)
    for handle in handles:
        handle.remove()
    behind = [*order[1:], None]
    return [
        (module, after if isinstance(after, nn.BatchNorm2d) else None)
        for module, after in zip(order, behind, strict=True)
        if isinstance(module, nn.Conv2d)
    ]


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
    for node in graph.node:  # equal constants are kept once, the others refer to them
        if node.op_type == "Identity" and node.input[0] in stored:
            stored[node.output[0]] = stored[node.input[0]]
    names = [node.input[1:3] for node in graph.node if node.op_type == "Conv"]
    return stored, [(known(stored, weight), known(stored, bias)) for weight, bias in names]


def known(stored: dict[str, Tensor], name: str) -> Tensor:
    found = stored.get(name.removesuffix(".half"))
    if found is None:
        raise ModelFileError(f"the ONNX file keeps no constant {name}")
    return found
