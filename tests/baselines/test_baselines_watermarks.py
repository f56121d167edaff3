"""The encoder-decoder watermarks: shapes, bounds, gradients through the noise, and a curriculum that waits."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from benchmarks.baselines.saving import halve
from benchmarks.baselines.watermarks.blocks import RESIDUAL_LIMIT
from benchmarks.baselines.watermarks.networks import SYSTEMS, HiddenDecoder, HiddenEncoder, System, build
from benchmarks.baselines.watermarks.noise import CameraNoise, DigitalNoise, NoiseLayer, ScreenNoise
from benchmarks.baselines.watermarks.readings import restore
from benchmarks.baselines.watermarks.training import (
    HARDEST,
    Curriculum,
    WatermarkSettings,
    WatermarkTrainer,
    edge_weight,
    picture_loss,
)
from torch import Tensor

BITS, SIDE = 5, 32


def covers(count: int = 2) -> Tensor:
    return torch.rand(count, 3, SIDE, SIDE, generator=torch.Generator().manual_seed(0))


def messages(count: int = 2) -> Tensor:
    return (torch.rand(count, BITS, generator=torch.Generator().manual_seed(1)) < 0.5).float()


@pytest.mark.parametrize("name", SYSTEMS)
def test_a_mark_stays_near_its_cover_and_reaches_the_decoder_through_the_noise(name: str) -> None:
    system = build(name, BITS)
    marked = system.encoder(covers(), messages())
    assert marked.shape == (2, 3, SIDE, SIDE)
    assert float((marked - covers()).detach().abs().max()) <= RESIDUAL_LIMIT + 1e-6
    seen = system.noise.distort(marked, covers(), torch.Generator().manual_seed(0), 1.0)
    logits = system.decoder(seen)
    assert logits.shape == (2, BITS)
    logits.square().sum().backward()
    first = next(system.encoder.parameters())
    assert first.grad is not None
    assert bool(torch.isfinite(first.grad).all())


@pytest.mark.parametrize("noise", [CameraNoise(), ScreenNoise()])
def test_noise_at_strength_zero_leaves_the_picture_nearly_alone(noise: NoiseLayer) -> None:
    cover = covers()
    seen = noise.distort(cover, cover, torch.Generator().manual_seed(0), 0.0)
    assert float((seen - cover).abs().mean()) < 0.01


def test_a_mark_can_be_learnt_on_flat_covers() -> None:
    torch.manual_seed(0)
    pixels = (covers(8).permute(0, 2, 3, 1) * 255).to(torch.uint8)
    settings = WatermarkSettings(bits=BITS, seconds=1.0, size=SIDE, batch=8, half=False)
    small = System(
        "hidden", HiddenEncoder(BITS, 8, 1), HiddenDecoder(BITS, 8, 2), DigitalNoise(), target_psnr=30.0
    )
    trainer = WatermarkTrainer(small, pixels, settings)
    losses = [float(trainer.advance(0.1)) for _ in range(30)]
    assert np.mean(losses[-5:]) < np.mean(losses[:5])


def test_the_task_gets_harder_only_when_the_bits_come_through_until_its_deadline() -> None:
    curriculum = Curriculum(wanted=0.9, target_psnr=30.0)
    for _ in range(20):
        curriculum.update(0.5, 20.0, 0.0)
    assert curriculum.level == 0
    for _ in range(20):
        curriculum.update(1.0, 20.0, 0.0)
    assert 0 < curriculum.level < HARDEST
    curriculum.update(0.5, 20.0, 1.0)
    assert curriculum.level == HARDEST


def test_the_picture_weighs_more_until_the_mark_is_faint_enough() -> None:
    curriculum = Curriculum(wanted=0.9, target_psnr=30.0, level=HARDEST, accuracy=1.0)
    before = curriculum.weight
    curriculum.update(1.0, 20.0, 0.7)
    assert curriculum.weight > before
    before = curriculum.weight
    curriculum.update(1.0, 31.0, 0.7)
    assert curriculum.weight < before


def test_an_unchanged_picture_costs_nothing_and_edges_are_cheap() -> None:
    assert float(picture_loss(covers(), covers(), masked=True)) == pytest.approx(0, abs=1e-6)
    step = torch.zeros(1, 3, SIDE, SIDE)
    step[..., SIDE // 2 :] = 1
    weight = edge_weight(step)
    assert float(weight[0, 0, 8, SIDE // 2]) < float(weight[0, 0, 8, 2])


@pytest.mark.parametrize("name", SYSTEMS)
def test_a_saved_system_marks_pictures_at_their_own_size(name: str) -> None:
    system = build(name, BITS)
    saved = {
        "summary": {"name": name, "bits": BITS, "size": SIDE},
        "encoder": halve(system.encoder.state_dict()),
        "decoder": halve(system.decoder.state_dict()),
    }
    watermark = restore(saved)
    pictures = np.random.default_rng(0).integers(256, size=(2, 48, 64, 3), dtype=np.uint8)
    marked = watermark.mark(pictures, messages().numpy().astype(np.uint8))
    assert marked.shape == pictures.shape
    assert watermark.read(marked[:, :SIDE, :SIDE]).shape == (2, BITS)
