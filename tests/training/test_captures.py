"""Simulated captures for training: shapes, range, replay, and a picture that is where its placement says."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch

from tiacam.training.captures import CaptureSettings, CaptureSimulator
from tiacam.training.light import coarsen, fade, haze, shine
from tiacam.training.placement import PlacementSettings, draw_box, draw_placement, place, put_in_box

Effect = Callable[[torch.Tensor, float, torch.Generator], torch.Tensor]

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
    simulator = CaptureSimulator(CaptureSettings(occluder_share=0.0))
    photo = pictures()
    assert torch.equal(simulator.occlude(photo, generator()), photo)
    for effect in (shine, fade, haze, coarsen):
        assert torch.equal(effect(photo, 0.0, generator()), photo)


@pytest.mark.parametrize("effect", [shine, fade, haze, coarsen])
def test_an_effect_of_light_changes_the_photo_and_keeps_it_in_range(effect: Effect) -> None:
    changed = effect(pictures(), 1.0, generator())
    assert not torch.equal(changed, pictures())
    assert 0 <= changed.min() <= changed.max() <= 1


def test_a_box_leaves_a_margin_of_one_colour_around_the_content() -> None:
    settings = PlacementSettings(margin_share=1.0)
    box = draw_box(6, generator(), settings)
    framed = put_in_box(torch.full((6, 3, 64, 64), 0.123), box)
    corner = framed[:, :, 0, 0]
    wide = (box.half < 0.9).all(dim=1)
    assert wide.any()
    torch.testing.assert_close(corner[wide], box.colour[wide])
    torch.testing.assert_close(framed[:, :, 32, 32], torch.full((6, 3), 0.123))


def test_without_margins_the_box_is_the_picture() -> None:
    box = draw_box(6, generator(), PlacementSettings(margin_share=0.0))
    torch.testing.assert_close(put_in_box(pictures(), box), pictures())
    assert not box.cut_out.any()


def test_the_scene_behind_comes_from_another_picture_or_one_colour() -> None:
    shown = torch.zeros(4, 3, 32, 32)
    small = PlacementSettings(area=(0.05, 0.0501), full_share=0.0, plain_share=1.0, frame_share=0.0)
    photo = place(shown, draw_placement(4, generator(), small), 32)
    assert photo[:, :, 0, 0].max() > 0.1  # the corner shows the coloured background, not the black picture
