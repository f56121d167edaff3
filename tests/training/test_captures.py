"""Simulated captures for training: shapes, range, replay, and a picture that is where its placement says."""

from __future__ import annotations

import torch

from tiacam.training.captures import CaptureSettings, CaptureSimulator
from tiacam.training.placement import PlacementSettings, draw_placement, place

FULL = PlacementSettings(
    full_share=1.0, area=(1.0, 1.0001), frame_share=0.0, any_angle_share=0.0, quarter_turn_share=0.0
)


def pictures(count: int = 6, size: int = 48) -> torch.Tensor:
    generator = torch.Generator().manual_seed(3)
    coarse = torch.rand(count, 3, 6, 6, generator=generator)
    return torch.nn.functional.interpolate(coarse, (size, size), mode="bilinear")


def generator(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def test_clean_and_captured_pictures_have_the_size_asked_for_and_stay_in_range() -> None:
    clean, captured = CaptureSimulator()(pictures(), 40, generator())
    for batch in (clean, captured):
        assert batch.shape == (6, 3, 40, 40)
        assert batch.isfinite().all()
        assert 0 <= batch.min() <= batch.max() <= 1


def test_the_same_seed_gives_the_same_captures_and_another_seed_others() -> None:
    simulate = CaptureSimulator()
    one, same, other = (simulate(pictures(), 32, generator(seed))[1] for seed in (5, 5, 6))
    assert torch.equal(one, same)
    assert not torch.equal(one, other)


def test_captures_carry_no_gradient() -> None:
    assert not CaptureSimulator()(pictures().requires_grad_(), 32, generator())[1].requires_grad


def test_a_picture_that_fills_the_photo_looks_like_itself() -> None:
    shown = pictures()
    photo = place(shown, draw_placement(len(shown), generator(), FULL), shown.shape[-1])
    middle = slice(12, 36)
    assert (photo - shown)[:, :, middle, middle].abs().mean() < 0.1


def test_without_shares_nothing_is_in_front_and_nothing_shines() -> None:
    simulator = CaptureSimulator(CaptureSettings(glare_share=0.0, occluder_share=0.0))
    photo = pictures()
    assert torch.equal(simulator.occlude(photo, generator()), photo)
    assert torch.equal(simulator.shine(photo, generator()), photo)


def test_the_scene_behind_comes_from_another_picture_or_one_colour() -> None:
    shown = torch.zeros(4, 3, 32, 32)
    small = PlacementSettings(area=(0.05, 0.0501), full_share=0.0, plain_share=1.0, frame_share=0.0)
    photo = place(shown, draw_placement(4, generator(), small), 32)
    assert photo[:, :, 0, 0].max() > 0.1  # the corner shows the coloured background, not the black picture
