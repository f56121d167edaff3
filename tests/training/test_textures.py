"""Made pictures: textures that differ, lettering that covers, and both the same from the same seed."""

from __future__ import annotations

import torch

from tiacam.training.lettering import draw_sprites, lay_over
from tiacam.training.textures import make_textures


def textures(seed: int = 0) -> torch.Tensor:
    return make_textures(6, 32, torch.Generator().manual_seed(seed))


def test_textures_are_pictures_that_differ_from_each_other() -> None:
    made = textures()
    assert made.shape == (6, 32, 32, 3)
    assert made.dtype == torch.uint8
    assert (made.float().std(dim=(1, 2, 3)) > 2).all()
    assert len({bytes(picture.numpy().tobytes()) for picture in made}) == 6


def test_the_same_seed_makes_the_same_textures() -> None:
    assert torch.equal(textures(1), textures(1))
    assert not torch.equal(textures(1), textures(2))


def test_no_textures_are_an_empty_batch() -> None:
    assert make_textures(0, 32, torch.Generator()).shape == (0, 32, 32, 3)


def test_lettering_covers_a_part_of_the_picture_and_leaves_the_rest() -> None:
    sprites = torch.from_numpy(draw_sprites(4, 64, seed=0))
    pictures = torch.full((4, 3, 64, 64), 0.321)
    covered = lay_over(pictures, sprites)
    clear = (sprites[..., 3] == 0)[:, None].expand_as(covered)
    assert torch.equal(covered[clear], pictures[clear])
    assert (covered[~clear] != pictures[~clear]).float().mean() > 0.9


def test_the_same_seed_draws_the_same_lettering() -> None:
    assert (draw_sprites(3, 48, 5) == draw_sprites(3, 48, 5)).all()
