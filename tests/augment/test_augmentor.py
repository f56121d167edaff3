"""The composition, its subsets and strengths, and the manual augmentor behind the same interface."""

from __future__ import annotations

import pytest
import torch

from tiacam.augment import Additive, Moire
from tiacam.augment.augmentor import ORDER, Augmentor, AutoAugmentor
from tiacam.augment.manual import SETTINGS, ManualAugmentor

from .small import WIDTH, dice, operators, pictures


def both_augmentors() -> list[AutoAugmentor]:
    return [AutoAugmentor.build(WIDTH), ManualAugmentor.build()]


@pytest.mark.parametrize("augmentor", both_augmentors(), ids=["auto", "manual"])
def test_the_modules_act_in_the_paper_s_order(augmentor: AutoAugmentor) -> None:
    image = pictures()
    draw = augmentor.sample(image.shape, dice())
    assert (
        tuple(draw.params)
        == ORDER
        == ("moire", "perspective", "photometric", "additive", "filtering", "compression")
    )
    expected = image
    for name in ORDER:
        expected = augmentor.distortion(name).apply(expected, draw.params[name])
    assert torch.equal(augmentor.distort(image, draw), expected)


@pytest.mark.parametrize("augmentor", both_augmentors(), ids=["auto", "manual"])
def test_a_draw_of_the_composition_replays(augmentor: AutoAugmentor) -> None:
    image = pictures()
    first = augmentor.distort(image, augmentor.sample(image.shape, dice(5)))
    assert torch.equal(first, augmentor.distort(image, augmentor.sample(image.shape, dice(5))))
    assert not torch.equal(first, augmentor.distort(image, augmentor.sample(image.shape, dice(6))))


@pytest.mark.parametrize("augmentor", both_augmentors(), ids=["auto", "manual"])
def test_strength_zero_of_the_composition_is_the_identity(augmentor: AutoAugmentor) -> None:
    image = pictures()
    draw = augmentor.sample(image.shape, dice(), strengths=0.0)
    assert torch.allclose(augmentor.distort(image, draw), image, atol=1e-6, rtol=0)


def test_a_subset_runs_those_modules_alone() -> None:
    augmentor, image = AutoAugmentor.build(None), pictures()
    draw = augmentor.sample(image.shape, dice(), only=["additive", "moire"])
    assert tuple(draw.params) == ("moire", "additive")
    assert AutoAugmentor([Additive(), Moire()]).distort(image, draw).shape == image.shape


def test_strengths_differ_by_module_and_by_picture() -> None:
    augmentor, image = AutoAugmentor.build(None), pictures()
    strengths: dict[str, float | torch.Tensor] = {"moire": 1.0, "filtering": torch.tensor([0.0, 0.5, 1.0])}
    draw = augmentor.sample(image.shape, dice(), strengths)
    assert tuple(draw.params) == ("moire", "filtering")
    assert draw.params["filtering"].strength.tolist() == [0.0, 0.5, 1.0]


def test_the_composition_is_differentiable_in_every_range() -> None:
    augmentor, image = AutoAugmentor.build(WIDTH), pictures(batch=4)
    output = augmentor(image, augmentor.sample(image.shape, dice()))
    (output * torch.rand(image.shape, generator=dice(3))).sum().backward()
    for name, parameter in augmentor.named_parameters():
        assert parameter.grad is not None, name
        assert torch.isfinite(parameter.grad).all(), name
        assert parameter.grad.abs().sum() > 0, name


def test_the_manual_augmentor_learns_nothing_and_keeps_its_severity() -> None:
    augmentor: Augmentor = ManualAugmentor.build()
    assert isinstance(augmentor, ManualAugmentor)
    assert not any(parameter.requires_grad for parameter in augmentor.parameters())
    quality = augmentor.sample((8, 3, 32, 32), dice()).params["compression"]
    assert torch.allclose(quality.quality, torch.tensor(SETTINGS["compression", "quality"]))  # type: ignore[attr-defined]
    with pytest.raises(ValueError, match="no networks"):
        ManualAugmentor.build(64)


def test_the_paper_s_networks_have_the_printed_widths() -> None:
    augmentor = AutoAugmentor.build()
    shapes = {name: tuple(parameter.shape) for name, parameter in augmentor.named_parameters()}
    assert shapes["chain.moire.network.bottleneck.2.weight"] == (1024, 1024, 3, 3)
    assert shapes["chain.compression.network.down.0.0.weight"] == (64, 8, 3, 3)
    assert shapes["chain.additive.network.expand.weight"] == (8 * 8 * 128, 512)
    assert shapes["chain.filtering.network.layers.4.weight"] == (9, 256)
    assert shapes["chain.perspective.network.head.0.weight"] == (256, 512 + 7)
    assert shapes["chain.perspective.network.head.4.weight"] == (9, 128)


def test_operators_alone_are_the_same_composition_without_networks() -> None:
    names = {module.name for module in operators()}
    assert names == set(ORDER) == set(AutoAugmentor.build(None).chain)
