"""Whitening while training: what comes out has equally strong axes, and the losses cannot turn it."""

from __future__ import annotations

import torch
from torch.nn import functional

from tiacam.training.whitening import RunningWhitening


def uneven(count: int, seed: int) -> torch.Tensor:
    """Unit features whose axes differ by a factor of a hundred."""
    generator = torch.Generator().manual_seed(seed)
    strength = torch.logspace(0, -2, 16)
    return functional.normalize(0.3 + torch.randn(count, 16, generator=generator) * strength)


def test_whitened_features_use_all_kept_axes_alike() -> None:
    whitening = RunningWhitening(16, 8)
    for seed in range(20):
        whitening.observe(uneven(256, seed))
    whitening.measure()
    spread = ((uneven(4096, 99) - whitening.mean) @ whitening.axes).std(dim=0)
    assert spread.shape == (8,)
    assert torch.allclose(spread, torch.ones(8), atol=0.1)


def test_whitened_features_are_unit_vectors_and_let_gradients_through() -> None:
    whitening = RunningWhitening(16, 8)
    whitening.observe(uneven(256, 0))
    whitening.measure()
    features = uneven(4, 1).requires_grad_()
    white = whitening(features)
    assert torch.allclose(white.norm(dim=1), torch.ones(4), atol=1e-5)
    white.sum().backward()
    assert features.grad is not None
    assert features.grad.abs().sum() > 0
    assert not any(buffer.requires_grad for buffer in whitening.buffers())


def test_the_first_batches_count_alike_and_later_ones_by_their_age() -> None:
    whitening = RunningWhitening(16, 8)
    whitening.observe(uneven(256, 0))
    whitening.observe(uneven(256, 1))
    both = torch.stack([uneven(256, seed).mean(dim=0) for seed in (0, 1)])
    assert torch.allclose(whitening.mean, both.mean(dim=0), atol=1e-6)
