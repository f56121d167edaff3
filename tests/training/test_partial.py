"""Pictures of which a part is seen: the seen part stays as it is, the rest is its mirror image or one colour."""

from __future__ import annotations

import torch

from tiacam.training.partial import LEAST_SIDE, Window, draw_window, look_through, reflect


def generator() -> torch.Generator:
    return torch.Generator().manual_seed(4)


def window(low: tuple[float, float], high: tuple[float, float], *, mirrored: bool) -> Window:
    return Window(
        torch.tensor([low]), torch.tensor([high]), torch.tensor([mirrored]), torch.tensor([[0.1, 0.2, 0.3]])
    )


def test_a_mirror_brings_points_back_as_often_as_it_takes() -> None:
    low, high = torch.tensor(0.0), torch.tensor(1.0)
    points = torch.tensor([-0.25, 0.5, 1.25, 2.25, -1.75])
    assert torch.allclose(reflect(points, low, high), torch.tensor([0.25, 0.5, 0.75, 0.25, 0.25]))


def test_the_unseen_half_is_the_mirror_image_of_the_seen_one() -> None:
    photo = torch.rand(1, 3, 16, 16, generator=generator())
    shown = look_through(photo, window((0.0, -1.0), (1.0, 1.0), mirrored=True))
    assert torch.equal(shown[..., 8:], photo[..., 8:])
    assert torch.allclose(shown[..., :8], photo[..., 8:].flip(-1), atol=1e-5)


def test_or_it_has_one_colour() -> None:
    photo = torch.rand(1, 3, 16, 16, generator=generator())
    shown = look_through(photo, window((-1.0, -1.0), (1.0, 0.5), mirrored=False))
    assert torch.equal(shown[:, :, :12], photo[:, :, :12])
    assert torch.allclose(shown[0, :, 12:].mean((1, 2)), torch.tensor([0.1, 0.2, 0.3]))


def test_so_many_are_cut_as_the_share_says_and_none_too_far() -> None:
    drawn = draw_window(4000, 0.2, generator())
    seen = drawn.high - drawn.low
    assert 0.16 < float((seen < 2).any(dim=1).float().mean()) < 0.21
    assert float(seen.min()) >= 2 * LEAST_SIDE
    assert float((drawn.low > -1).float().mean()) > 0.02
    assert float((drawn.high < 1).float().mean()) > 0.02
    assert 0.6 < float(drawn.mirrored.float().mean()) < 0.8


def test_without_a_share_nothing_changes() -> None:
    photo = torch.rand(5, 3, 12, 12, generator=generator())
    assert torch.equal(look_through(photo, draw_window(5, 0.0, generator())), photo)
