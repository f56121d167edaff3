"""Each operator against its printed formula or an independent implementation."""

from __future__ import annotations

import math

import cv2
import numpy as np
import pytest
import torch
from scipy import ndimage
from skimage import data

from tiacam.augment import Additive, Filtering, Moire, Perspective, Photometric
from tiacam.augment.additive import impulse_weight
from tiacam.augment.filtering import convolve, motion_kernel
from tiacam.augment.perspective import projection, view_matrix
from tiacam.augment.photometric import render

from .small import dice, pictures


def photo(size: int = 128) -> torch.Tensor:
    """The astronaut of scikit-image (1, 3, size, size)."""
    resized = cv2.resize(data.astronaut(), (size, size), interpolation=cv2.INTER_AREA)
    return torch.from_numpy(resized).permute(2, 0, 1)[None] / 255


def pixel_matrix(matrix: torch.Tensor, width: int, height: int) -> np.ndarray:
    """A matrix between coordinates in halves of the longer side, as one between pixel indices."""
    half = max(width, height) / 2
    to_units = np.array(
        [[1 / half, 0, (0.5 - width / 2) / half], [0, 1 / half, (0.5 - height / 2) / half], [0, 0, 1]]
    )
    return np.linalg.inv(to_units) @ matrix.detach().double().numpy() @ to_units


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("height", [128, 96])
def test_the_warp_agrees_with_opencv(seed: int, height: int) -> None:
    image, module = photo()[..., :height, :], Perspective()
    params = module.sample(image.shape, dice(seed))
    expected = cv2.warpPerspective(
        image[0].permute(1, 2, 0).numpy(),
        pixel_matrix(projection(params)[0], 128, height),
        (128, height),
        flags=cv2.INTER_LINEAR,
    )
    output = module(image, params)[0].permute(1, 2, 0).detach().numpy()
    assert np.abs(output - expected).mean() < 0.01


def test_the_view_matrix_undoes_the_projection() -> None:
    params = Perspective().sample((6, 3, 32, 32), dice())
    product = view_matrix(params) @ projection(params)
    assert torch.allclose(product / product[:, 2:, 2:], torch.eye(3).expand(6, 3, 3), atol=1e-5)


def test_pure_roll_turns_the_picture() -> None:
    image, module = photo(), Perspective()
    params = module.sample(image.shape, dice())
    zero = torch.zeros(1)
    still = dict.fromkeys(("yaw", "pitch", "zoom", "shift_x", "shift_y", "lens"), zero)
    turned = type(params)(strength=params.strength, roll=torch.tensor([math.pi / 2]), **still)
    assert torch.allclose(module(image, turned), torch.rot90(image, -1, (2, 3)), atol=1e-4)


@pytest.mark.parametrize("channels", [1, 3])
def test_rendering_is_the_printed_formula(channels: int) -> None:
    image = pictures()
    alpha, gamma, beta = (torch.rand(3, channels, generator=dice(seed)) + 0.5 for seed in range(3))
    broadcast = (value[..., None, None] for value in (alpha, gamma, beta))
    a, g, b = broadcast
    assert torch.allclose(render(image, alpha, gamma, beta), a * image**g + b, atol=1e-5)


def test_photometric_casts_colour_by_channel() -> None:
    params = Photometric().sample((4, 3, 16, 16), dice())
    assert params.contrast.shape == (4, 3)
    assert (params.contrast.std(1) > 0).all()


def test_white_noise_has_the_drawn_deviation() -> None:
    module, image = Additive(), torch.full((2, 3, 128, 128), 0.5)
    params = module.sample(image.shape, dice())
    quiet = type(params)(**{**vars(params), "impulses": torch.zeros(2)})
    noise = (module(image, quiet) - image).flatten(1)
    assert torch.allclose(noise.std(1), params.deviation, rtol=0.02)
    assert torch.allclose(noise.mean(1), torch.zeros(2), atol=1e-3)


@pytest.mark.parametrize("share", [0.002, 0.02, 0.05])
def test_the_share_of_impulses_is_the_drawn_one(share: float) -> None:
    gumbel = Additive().sample((4, 3, 256, 256), dice()).gumbel
    weight = impulse_weight(torch.full((4,), share), gumbel)
    assert (weight > 0.5).float().mean().item() == pytest.approx(share, rel=0.1)
    assert ((weight > 0.1) & (weight < 0.9)).float().mean().item() < share


def test_impulses_are_salt_and_pepper() -> None:
    params = Additive().sample((2, 3, 64, 64), dice())
    assert set(params.colour.unique().tolist()) == {0.0, 1.0}
    assert params.colour.mean().item() == pytest.approx(0.5, abs=0.05)


def test_without_motion_the_kernel_is_gaussian() -> None:
    kernel = motion_kernel(torch.tensor([0.8]), torch.zeros(1), torch.tensor([0.3]))[0]
    line = cv2.getGaussianKernel(7, 0.8)
    assert np.allclose(kernel.numpy(), line @ line.T, atol=1e-5)


def test_with_motion_the_kernel_lies_along_its_direction() -> None:
    kernel = motion_kernel(torch.tensor([0.2]), torch.tensor([5.0]), torch.zeros(1))[0]
    assert kernel[3].sum() > 0.99
    assert torch.allclose(kernel[3, 1:6], torch.full((5,), 0.2), atol=0.03)


def test_kernels_are_normalised_and_not_negative() -> None:
    params = Filtering().sample((50, 3, 16, 16), dice())
    kernels = motion_kernel(params.focus, params.motion, params.direction)
    assert torch.allclose(kernels.sum((1, 2)), torch.ones(50), atol=1e-6)
    assert (kernels >= 0).all()


def test_convolution_agrees_with_scipy() -> None:
    image = pictures(batch=2)
    kernel = torch.rand(2, 5, 5, generator=dice(4))
    expected = ndimage.convolve(image[1, 2].numpy(), kernel[1].numpy(), mode="mirror")
    assert np.allclose(convolve(image, kernel)[1, 2].numpy(), expected, atol=1e-5)


def test_the_derivatives_of_the_convolution_are_torch_s() -> None:
    image, kernel = pictures(batch=2).double().requires_grad_(), torch.rand(2, 3, 3, dtype=torch.float64)
    kernel.requires_grad_()
    assert torch.autograd.gradcheck(convolve, (image[..., :8, :9], kernel))


def test_moire_is_the_closed_form() -> None:
    module, image = Moire(), torch.full((2, 3, 20, 30), 0.5)
    params = module.sample(image.shape, dice())
    v, u = np.mgrid[:20, :30]
    values = {name: value.detach().numpy() for name, value in vars(params).items()}
    cycles = values["frequency_x"][1] * u + values["frequency_y"][1] * v + values["phase"][1, 2]
    expected = 0.5 + values["amplitude"][1, 2] * np.sin(2 * np.pi * cycles)
    assert np.allclose(module(image, params)[1, 2].detach().numpy(), expected, atol=1e-5)


def test_the_colours_of_moire_are_displaced_evenly_about_green() -> None:
    phase = Moire().sample((5, 3, 8, 8), dice()).phase
    assert torch.allclose(phase[:, 0] + phase[:, 2], 2 * phase[:, 1], atol=1e-6)
