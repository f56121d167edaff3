"""The drawn photos: what they show is where the truth says."""

from __future__ import annotations

import torch

from tiacam.training.locator_photos import PhotoMaker
from tiacam.training.locator_poses import SINGLE_SLOT, PoseSettings, draw_poses
from tiacam.training.locator_render import NOTHING, render
from tiacam.training.locator_scenes import SceneSettings, draw_scenes
from tiacam.training.locator_targets import make_targets, outline_share, picture_corners

SIZE = 64
BARE = SceneSettings(
    poses=PoseSettings(single=1.0, scattered=0.0, grid=0.0),
    distractors=0.0,
    above=0.0,
    inner_margin=0.0,
    outer_margin=0.0,
    poster=0.0,
    shadow=0.0,
    rounded=0.0,
    hand=0.0,
)


def generator(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def test_a_cell_is_called_present_exactly_where_the_corners_enclose_it() -> None:
    scenes = draw_scenes(16, 4, generator(), BARE)
    rendered = render(torch.rand(4, 3, 32, 32, generator=generator()), scenes, SIZE)
    corners = picture_corners(scenes.poses.to_frame)[:, SINGLE_SLOT] * 2 * SIZE  # in the larger drawing
    axis = torch.arange(2 * SIZE) + 0.5
    y, x = torch.meshgrid(axis, axis, indexing="ij")
    edges = corners.roll(-1, dims=1) - corners
    side = edges[..., 0, None, None] * (y - corners[..., 1, None, None]) - edges[..., 1, None, None] * (
        x - corners[..., 0, None, None]
    )
    wanted = (side > 0).all(1)
    assert ((rendered.shown != NOTHING) == wanted).float().mean() > 0.999


def test_the_picture_itself_is_what_is_seen_inside_the_corners() -> None:
    white_on_black = torch.cat([torch.zeros(1, 3, 32, 32), torch.ones(1, 3, 32, 32)])
    scenes = draw_scenes(8, 2, generator(1), BARE)
    scenes.backgrounds.source.zero_()
    scenes.backgrounds.plain.zero_()
    scenes.layers.source.fill_(1)
    rendered = render(white_on_black, scenes, SIZE)
    wanted = torch.nn.functional.avg_pool2d((rendered.shown != NOTHING).float()[:, None], 2)
    assert (rendered.photos.mean(1, keepdim=True) - wanted).abs().max() < 1e-5


def test_the_same_generator_draws_the_same_photos() -> None:
    maker, pictures = PhotoMaker(), torch.rand(6, 3, 32, 32, generator=generator())
    one, other = (maker(pictures, 4, SIZE, generator(3)) for _ in range(2))
    assert torch.equal(one.photos, other.photos)
    assert torch.equal(one.targets.corners, other.targets.corners)
    assert 0 <= one.photos.min() <= one.photos.max() <= 1


def test_a_picture_without_a_visible_border_counts_for_nothing() -> None:
    scenes = draw_scenes(4, 2, generator(), BARE)
    scenes.poses.to_frame[:] = torch.diag(torch.tensor([3.0, 3.0, 1.0]))
    rendered = render(torch.rand(2, 3, 16, 16), scenes, SIZE)
    targets = make_targets(scenes, rendered.shown, SIZE // 8)
    assert outline_share(scenes.poses.to_frame).max() == 0
    assert targets.weight.sum() == 0
    assert targets.counted.sum() == 0


def test_the_corners_of_an_upright_picture_begin_at_its_top_left() -> None:
    halves = torch.diag(torch.tensor([0.5, 0.5, 1.0]))[None, None]
    assert picture_corners(halves)[0, 0].tolist() == [
        [0.25, 0.25],
        [0.75, 0.25],
        [0.75, 0.75],
        [0.25, 0.75],
    ]


def test_some_photos_show_one_picture_some_several_some_none() -> None:
    poses = draw_poses(400, generator(), PoseSettings())
    counts = poses.picture.sum(1)
    shares = [(counts == k).float().mean().item() for k in (0, 1)]
    assert 0.08 < shares[0] < 0.25
    assert 0.5 < shares[1] < 0.75
    assert (counts > 1).float().mean() > 0.1
