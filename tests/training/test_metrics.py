"""PSNR and SSIM against hand-computed values and scikit-image."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from skimage.metrics import structural_similarity

from tiacam.training.metrics import likeness_loss, psnr, ssim

from .pictures import small_pictures


def planes() -> torch.Tensor:
    return torch.from_numpy(small_pictures(3)).permute(0, 3, 1, 2) / 255


def test_psnr_of_a_constant_error() -> None:
    image = torch.full((2, 3, 8, 8), 0.5)
    assert psnr(image + 0.1, image).tolist() == pytest.approx([20.0, 20.0], abs=1e-4)
    assert psnr(image, image).tolist() == pytest.approx([60.0, 60.0])


def test_ssim_agrees_with_scikit_image() -> None:
    image = planes()
    noisy = (image + 0.1 * torch.randn(image.shape, generator=torch.Generator().manual_seed(0))).clamp(0, 1)
    expected = [
        structural_similarity(
            first.numpy(),
            second.numpy(),
            data_range=1.0,
            channel_axis=0,
            gaussian_weights=True,
            sigma=1.5,
            use_sample_covariance=False,
        )
        for first, second in zip(image, noisy, strict=True)
    ]
    assert np.allclose(ssim(image, noisy).numpy(), expected, atol=2e-3)


def test_equal_pictures_have_ssim_one_and_no_loss() -> None:
    image = planes()
    assert torch.allclose(ssim(image, image), torch.ones(3))
    assert likeness_loss(image, image, 0.1).item() == pytest.approx(0, abs=1e-6)


def test_the_loss_is_the_error_plus_weighted_dissimilarity() -> None:
    image, other = planes(), planes().flip(3)
    expected = ((image - other) ** 2).mean() + 0.3 * (1 - ssim(image, other).mean())
    assert likeness_loss(image, other, 0.3).item() == pytest.approx(expected.item())
