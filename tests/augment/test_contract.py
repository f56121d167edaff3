"""One contract over all six modules, as operators alone and with their networks."""

from __future__ import annotations

from dataclasses import fields, replace

import pytest
import torch
from torch import Tensor

from tiacam.augment import Compression
from tiacam.augment.distortion import BLOCK
from tiacam.augment.rounding import Rounding

from .small import DEVICES, AnyDistortion, complete_modules, dice, operators, pictures

ALL = [
    *(pytest.param(module, id=f"{module.name}-operator") for module in operators()),
    *(pytest.param(module, id=module.name) for module in complete_modules()),
]
COMPLETE = [pytest.param(module, id=module.name) for module in complete_modules()]


@pytest.mark.parametrize("size", [(32, 32), (40, 56)])
@pytest.mark.parametrize("module", ALL)
def test_a_module_keeps_shape_and_range(module: AnyDistortion, size: tuple[int, int]) -> None:
    image = pictures(size=64)[..., : size[0], : size[1]]
    image[0, :, :4], image[1, :, :4] = 0.0, 1.0
    output = module(image, module.sample(image.shape, dice()))
    assert output.shape == image.shape
    assert torch.equal(output, output.clamp(0.0, 1.0))


@pytest.mark.parametrize("module", ALL)
def test_a_module_changes_the_picture(module: AnyDistortion) -> None:
    image = pictures(batch=8)
    change = (module(image, module.sample(image.shape, dice())) - image).abs()
    assert change.mean() > 2e-3


@pytest.mark.parametrize("module", ALL)
def test_strength_zero_is_the_identity(module: AnyDistortion) -> None:
    image = pictures()
    image[0, :, :4], image[1, :, :4] = 0.0, 1.0
    output = module(image, module.sample(image.shape, dice(), strength=0.0))
    assert torch.allclose(output, image, atol=1e-6, rtol=0)


@pytest.mark.parametrize("module", ALL)
def test_more_strength_distorts_more(module: AnyDistortion) -> None:
    image = pictures(batch=8)
    params = module.sample(image.shape, dice())
    changes = [
        (module(image, params.at(strength)) - image).abs().mean().item() for strength in (0.2, 0.6, 1.0)
    ]
    assert changes == sorted(changes)


@pytest.mark.parametrize("module", ALL)
def test_a_draw_replays(module: AnyDistortion) -> None:
    image = pictures()
    params = module.sample(image.shape, dice(7))
    assert torch.equal(module(image, params), module(image, params))
    assert torch.equal(module(image, module.sample(image.shape, dice(7))), module(image, params))


@pytest.mark.parametrize("module", ALL)
def test_pictures_of_a_batch_are_independent(module: AnyDistortion) -> None:
    image = pictures(batch=4)
    params = module.sample(image.shape, dice())
    together = module(image, params)
    index = torch.tensor([2, 0])
    assert torch.allclose(module(image[index], params.pick(index)), together[index], atol=1e-5)


@pytest.mark.parametrize("module", ALL)
def test_many_pictures_pass_in_blocks_as_they_would_together(module: AnyDistortion) -> None:
    image = pictures(batch=2 * BLOCK + 3).requires_grad_()
    params = module.sample(image.shape, dice())
    together, blocks = module.apply(image, params), module(image, params)
    assert torch.allclose(together, blocks, atol=1e-5)
    slopes = [torch.autograd.grad(output.square().sum(), image)[0] for output in (together, blocks)]
    assert torch.allclose(*slopes, atol=1e-4)


@pytest.mark.parametrize("module", COMPLETE)
def test_every_learnable_parameter_gets_a_finite_gradient_that_is_not_zero(module: AnyDistortion) -> None:
    image = pictures(batch=4)
    module.zero_grad()
    weight = torch.rand(image.shape, generator=dice(3))
    (module(image, module.sample(image.shape, dice())) * weight).sum().backward()
    for name, parameter in module.named_parameters():
        assert parameter.grad is not None, name
        assert torch.isfinite(parameter.grad).all(), name
        assert parameter.grad.abs().sum() > 0, name


@pytest.mark.parametrize("module", ALL)
def test_the_picture_gets_a_finite_gradient_even_at_black_and_white(module: AnyDistortion) -> None:
    image = pictures()
    image[0], image[1] = 0.0, 1.0
    image.requires_grad_()
    module(image, module.sample(image.shape, dice())).sum().backward()
    assert image.grad is not None
    assert torch.isfinite(image.grad).all()
    assert image.grad[2].abs().sum() > 0


@pytest.mark.parametrize("module", ALL)
def test_no_step_lets_a_draw_leave_the_limits(module: AnyDistortion) -> None:
    with torch.no_grad():
        start = {name: learnable.ends.clone() for name, learnable in module.ranges().items()}
        for direction in (1e6, -1e6):
            for learnable in module.ranges().values():
                learnable.ends.copy_(torch.tensor([direction, -direction]))
                values = learnable(torch.rand(100, generator=dice()))
                assert values.min() >= learnable.limits.low - 1e-6
                assert values.max() <= learnable.limits.high + 1e-6
            module.project_()
            assert all(learnable.ends.min() >= 0 for learnable in module.ranges().values())
            assert all(learnable.ends[1] - learnable.ends[0] > 0.09 for learnable in module.ranges().values())
        for name, learnable in module.ranges().items():
            learnable.ends.copy_(start[name])


@pytest.mark.parametrize("module", operators(), ids=lambda module: f"{module.name}")
def test_the_gradient_is_the_derivative_in_double_precision(module: AnyDistortion) -> None:
    if isinstance(module, Compression):  # true rounding has a surrogate gradient by design
        module = Compression(rounding=Rounding.SMOOTH)
    module = module.double()
    image = pictures(batch=2, size=16).double().requires_grad_()
    params = module.sample(image.shape, dice(), strength=0.3).detach()
    assert torch.autograd.gradcheck(
        lambda x: module(x, params), (image,), eps=1e-7, atol=1e-4, fast_mode=True
    )


@pytest.mark.parametrize("module", operators()[:-1], ids=lambda module: f"{module.name}")
def test_the_gradient_of_the_drawn_values_is_their_derivative(module: AnyDistortion) -> None:
    module = module.double()
    image = pictures(batch=1, size=16).double()
    params = module.sample(image.shape, dice(), strength=0.3).detach()
    # the colour of an impulse is a whole number, and so are the tables of a codec, which is left out
    names = [field.name for field in fields(params) if field.name != "colour"]
    values = [getattr(params, name).clone().requires_grad_() for name in names]

    def distort(*drawn: Tensor) -> Tensor:
        return module(image, replace(params, **dict(zip(names, drawn, strict=True))))  # type: ignore[no-any-return]

    assert torch.autograd.gradcheck(distort, values, eps=1e-7, atol=1e-4, fast_mode=True)


@pytest.mark.parametrize("module", ALL)
def test_reduced_precision_around_a_module_leaves_its_operator_alone(module: AnyDistortion) -> None:
    image = pictures()
    params = module.sample(image.shape, dice()).detach()
    torch.set_float32_matmul_precision("medium")
    try:
        with torch.no_grad(), torch.autocast("cpu", torch.bfloat16):
            output = module(image, params)
        assert torch.get_float32_matmul_precision() == "medium"
    finally:
        torch.set_float32_matmul_precision("highest")
    assert output.dtype == torch.float32
    assert (output - module(image, params)).abs().mean() < (1e-6 if module.network is None else 1e-3)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("module", COMPLETE)
def test_every_device_gives_the_same_picture(module: AnyDistortion, device: str) -> None:
    image = pictures()
    params = module.sample(image.shape, dice()).detach()
    expected = module(image, params)
    output = module.to(device)(image.to(device), params.to(device)).cpu()
    module.cpu()
    assert (output - expected).abs().max() < 1e-3
