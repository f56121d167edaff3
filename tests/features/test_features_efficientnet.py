"""EfficientNet-Lite0: its shape and size, TensorFlow's padding, and weights that are not its own."""

from __future__ import annotations

import pytest
import torch
from torch.nn import functional

from tiacam.errors import ModelFileError, UsageError
from tiacam.features.anchor import EMBEDDING, ImageTower, TextProjection
from tiacam.features.efficientnet import (
    FEATURE_CHANNELS,
    LITE0_STAGES,
    EfficientNetLite0,
    SameConv,
    stages_of,
    with_repeats,
)

PARAMETERS = 3_371_008  # of the published network without its classifier


def test_the_network_has_the_published_number_of_parameters_and_reduces_by_32() -> None:
    network = EfficientNetLite0().eval()
    assert sum(parameter.numel() for parameter in network.parameters()) == PARAMETERS
    with torch.no_grad():
        assert network(torch.zeros(1, 3, 96, 64)).shape == (1, FEATURE_CHANNELS, 3, 2)


@pytest.mark.parametrize(("kernel", "stride"), [(1, 1), (3, 1), (5, 1), (3, 2), (5, 2)])
def test_padding_keeps_the_size_and_puts_the_odd_row_last(kernel: int, stride: int) -> None:
    convolution = SameConv(1, 1, kernel, stride, bias=False)
    image = torch.rand(1, 1, 16, 16)
    total = max(kernel - stride, 0)
    before = total // 2
    padded = functional.pad(image, (before, total - before, before, total - before))
    expected = functional.conv2d(padded, convolution.weight, stride=stride)
    found = convolution(image)
    assert found.shape[-1] == 16 // stride
    assert torch.allclose(found, expected, atol=1e-6)


def test_published_weights_load_by_position_and_others_are_refused() -> None:
    source, target = EfficientNetLite0(), EfficientNetLite0()
    weights = {f"_renamed.{index}": value for index, value in enumerate(source.state_dict().values())}
    target.load_published(weights | {"_fc.weight": torch.zeros(1000, FEATURE_CHANNELS)})
    assert torch.equal(target.head.weight, source.head.weight)
    with pytest.raises(ModelFileError, match="not those of an EfficientNet-Lite0"):
        target.load_published(dict(list(weights.items())[1:]))


def test_both_towers_end_in_the_joint_space() -> None:
    with torch.no_grad():
        image = ImageTower().eval()(torch.rand(2, 3, 64, 64))
        text = TextProjection()(torch.randn(2, 384))
    assert image.shape == text.shape == (2, EMBEDDING)
    assert torch.allclose(text.norm(dim=1), torch.ones(2), atol=1e-5)


def test_a_deepened_tower_computes_what_it_did_and_knows_its_depth_from_its_weights() -> None:
    torch.manual_seed(0)
    tower = ImageTower().eval()
    deeper = tower.deepened(with_repeats((1, 2, 2, 3, 5, 6, 1))).eval()
    pictures = torch.rand(2, 3, 64, 64)
    with torch.no_grad():
        assert torch.equal(deeper(pictures), tower(pictures))
        assert torch.equal(ImageTower.of(deeper.state_dict()).eval()(pictures), tower(pictures))
    assert len(deeper.backbone.blocks) == len(tower.backbone.blocks) + 4
    with pytest.raises(UsageError, match="not shallower"):
        deeper.deepened(LITE0_STAGES)


def test_the_new_blocks_of_a_deepened_tower_can_learn() -> None:
    deeper = ImageTower().deepened(with_repeats((1, 2, 2, 3, 3, 5, 1))).train()
    deeper(torch.rand(4, 3, 64, 64)).square().mean().backward()
    new = deeper.backbone.blocks[deeper.backbone.ends[5]]
    assert new.project_norm.weight.grad.abs().max() > 0


def test_depths_that_no_such_network_has_are_refused() -> None:
    assert stages_of([16, 24, 40, 80, 112, 192, 320]) == with_repeats((1,) * 7)
    with pytest.raises(ModelFileError, match="no EfficientNet-Lite0"):
        stages_of([16, 24, 24, 80, 112, 192, 320])
    with pytest.raises(UsageError, match="7 stages"):
        with_repeats((1, 2, 0))
