"""The JPEG surrogate: its rounding, its tables, and its likeness to a real codec."""

from __future__ import annotations

import io

import numpy as np
import pytest
import torch
from PIL import Image
from scipy.fft import dctn
from skimage import data

from tiacam.augment.codec import CHROMA, LUMA, code_jpeg, dct_basis, from_blocks, scale_tables, to_blocks
from tiacam.augment.rounding import (
    GRADIENT_SHARPNESS,
    ROUNDINGS,
    Rounding,
    round_as_printed,
    round_smoothly,
    round_straight,
)

from .small import dice, pictures

NUMBERS = torch.linspace(-3, 3, 601, dtype=torch.float64)


def photos() -> list[Image.Image]:
    """Three freely licensed photos of scikit-image at 128×128."""
    arrays = (data.astronaut(), data.chelsea(), data.coffee())
    return [Image.fromarray(array).resize((128, 128), Image.Resampling.LANCZOS) for array in arrays]


def as_tensor(pictures: list[Image.Image]) -> torch.Tensor:
    return torch.from_numpy(np.stack([np.asarray(picture) for picture in pictures])).permute(0, 3, 1, 2) / 255


def save_and_read(picture: Image.Image, quality: int) -> Image.Image:
    buffer = io.BytesIO()
    picture.save(buffer, "JPEG", quality=quality)
    return Image.open(buffer).convert("RGB")


def psnr(first: torch.Tensor, second: torch.Tensor) -> float:
    return float(-10 * torch.log10(((first - second) ** 2).flatten(1).mean(1)).mean())


@pytest.mark.parametrize(("quality", "floor"), [(30, 44), (50, 44), (80, 45)])
def test_the_surrogate_is_close_to_a_real_codec(quality: int, floor: float) -> None:
    image = as_tensor(photos())
    real = as_tensor([save_and_read(picture, quality) for picture in photos()])
    tables = scale_tables(torch.full((3,), float(quality)))
    coded = {form: psnr(code_jpeg(image, tables, torch.ones(2, 64), form), real) for form in Rounding}
    assert coded[Rounding.STRAIGHT] > floor
    assert coded[Rounding.STRAIGHT] > coded[Rounding.SMOOTH] > psnr(image, real) + 8
    assert coded[Rounding.PRINTED] < psnr(
        image, real
    )  # as printed it is further away than no compression at all


@pytest.mark.parametrize("quality", [1, 10, 30, 49, 50, 75, 80, 95, 100])
def test_the_tables_are_libjpeg_s(quality: int) -> None:
    buffer = io.BytesIO()
    photos()[0].save(buffer, "JPEG", quality=quality)
    real = Image.open(buffer).quantization  # type: ignore[attr-defined]
    tables = scale_tables(torch.tensor([float(quality)]))[0]
    assert tables.tolist() == [list(real[0]), list(real[1])]


def test_the_base_tables_have_64_entries() -> None:
    assert len(LUMA) == len(CHROMA) == 64


def test_the_block_transform_is_the_orthonormal_dct() -> None:
    plane = torch.rand(1, 1, 16, 24, generator=dice(), dtype=torch.float64)
    coefficients = to_blocks(plane) @ torch.tensor(dct_basis(), dtype=torch.float64)
    expected = dctn(plane[0, 0, 8:, 8:16].numpy(), norm="ortho")
    assert np.allclose(coefficients[0, 4].reshape(8, 8).numpy(), expected)
    assert torch.equal(from_blocks(to_blocks(plane), plane.shape), plane)


def test_sides_that_are_no_multiple_of_sixteen_are_padded_and_cut() -> None:
    image = pictures(size=64)[..., :37, :50]
    tables = scale_tables(torch.full((3,), 90.0))
    assert code_jpeg(image, tables, torch.ones(2, 64)).shape == image.shape


def test_a_mask_of_zeros_leaves_no_detail() -> None:
    image, mask = pictures(), torch.zeros(2, 64)
    mask[:, 0] = 1.0
    coded = code_jpeg(image, scale_tables(torch.full((3,), 95.0)), mask)
    blocks = to_blocks(coded.mean(1, keepdim=True))
    assert blocks.std(2).max() < 0.05 < to_blocks(image.mean(1, keepdim=True)).std(2).max()


def test_as_printed_the_quantiser_is_biased_and_jumps() -> None:
    offset = round_as_printed(NUMBERS, 40.0) - NUMBERS
    assert round_as_printed(torch.tensor([0.05]), 200.0).item() == pytest.approx(0.5, abs=1e-3)
    assert offset.min() < -0.48  # just under an integer it falls short by a half
    assert round_as_printed(torch.tensor([-1e-4]), 40.0).item() == pytest.approx(-0.5, abs=0.01)


def test_the_corrected_quantiser_keeps_integers_and_halves_and_is_odd() -> None:
    for sharpness in (1.0, 5.0, 40.0):
        rounded = round_smoothly(NUMBERS, sharpness)
        assert torch.allclose(round_smoothly(NUMBERS.round(), sharpness), NUMBERS.round(), atol=1e-9)
        assert torch.allclose(rounded, -round_smoothly(-NUMBERS, sharpness), atol=1e-9)
        assert (rounded.diff() >= -1e-12).all()
        assert rounded.diff().max() < 0.01 * (sharpness / 2 + 2)


def test_the_corrected_quantiser_approaches_rounding() -> None:
    away_from_halves = NUMBERS[((NUMBERS % 1) - 0.5).abs() > 0.1]
    error = (round_smoothly(away_from_halves, 100.0) - away_from_halves.round()).abs().max()
    assert error < 1e-4


def test_straight_rounding_is_exact_and_has_the_smooth_slope() -> None:
    z = NUMBERS.clone().requires_grad_()
    rounded = round_straight(z)
    assert torch.equal(rounded, NUMBERS.round())
    rounded.sum().backward()
    smooth = NUMBERS.clone().requires_grad_()
    round_smoothly(smooth, GRADIENT_SHARPNESS).sum().backward()
    assert z.grad is not None and smooth.grad is not None  # noqa: PT018
    assert torch.allclose(z.grad, smooth.grad, atol=1e-6)


@pytest.mark.parametrize("form", list(Rounding))
def test_every_form_has_a_gradient(form: Rounding) -> None:
    z = torch.tensor([0.2, -1.75, 2.3], requires_grad=True)
    ROUNDINGS[form](z).sum().backward()
    assert z.grad is not None
    assert (z.grad != 0).all()
