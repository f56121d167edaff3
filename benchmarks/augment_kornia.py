"""The operators of kornia 0.9 that do what the augmentor's do, at the same values; it has none for moiré."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from tiacam.augment import AutoAugmentor
from tiacam.augment.filtering import motion_kernel
from tiacam.augment.perspective import projection

Operation = Callable[[Tensor], Tensor]


def equivalents(augmentor: AutoAugmentor, pictures: Tensor, seed: int = 0) -> dict[str, Operation]:
    """kornia's operation by the name of ours."""
    import kornia
    from kornia import augmentation

    draw = augmentor.sample(pictures.shape, torch.Generator().manual_seed(seed)).params
    geometry, photo, blur = draw["perspective"], draw["photometric"], draw["filtering"]
    matrix = to_pixels(projection(geometry), pictures.shape[-1])  # type: ignore[arg-type]
    kernel = motion_kernel(blur.focus, blur.motion, blur.direction)  # type: ignore[attr-defined]
    gain, gamma, offset = (
        getattr(photo, name)[:, 0].contiguous() for name in ("contrast", "gamma", "brightness")
    )
    white = augmentation.RandomGaussianNoise(std=0.05, p=1.0)
    impulses = augmentation.RandomSaltAndPepperNoise(amount=(0.001, 0.01), p=1.0)
    size = (pictures.shape[-2], pictures.shape[-1])
    return {
        "perspective": lambda image: kornia.geometry.transform.warp_perspective(image, matrix, size),
        "photometric": lambda image: kornia.enhance.adjust_brightness(
            kornia.enhance.adjust_gamma(image, gamma, gain), offset
        ),
        "additive": lambda image: impulses(white(image)),
        "filtering": lambda image: kornia.filters.filter2d(image, kernel, "reflect"),
        "compression": lambda image: kornia.enhance.jpeg_codec_differentiable(
            image,
            draw["compression"].quality,  # type: ignore[attr-defined]
        ),
    }


def to_pixels(matrix: Tensor, side: int) -> Tensor:
    """A matrix between coordinates in halves of the side as one between pixel indices."""
    half, middle = side / 2, 0.5 - side / 2
    units = torch.tensor([[1 / half, 0, middle / half], [0, 1 / half, middle / half], [0, 0, 1]]).to(matrix)
    return torch.linalg.inv(units) @ matrix @ units
