"""What the locator's training photos show besides pose: carriers, pages, posters, backgrounds, fingers."""

from __future__ import annotations

from dataclasses import dataclass, field, fields

import torch
from torch import Tensor

from tiacam.training.locator_poses import SLOTS, Dice, Poses, PoseSettings, draw_poses

BACKGROUNDS = 2  # a photo's background is one of these, or two that meet along a line
FINGERS = 4  # the last one is a palm


@dataclass(frozen=True)
class SceneSettings:
    """Shares are probabilities."""

    poses: PoseSettings = field(default_factory=PoseSettings)
    distractors: float = 0.3  # of the free slots: blank or written sheets, keyboards, tiles
    above: float = 0.08  # something else lies on a single picture
    inner_margin: float = 0.4  # paper, passe-partout, letterbox
    outer_margin: float = 0.5  # frame, bezel, page, case
    lopsided: float = 0.4  # of the margins: cases with a spine, instant photos
    wide_margin: float = 0.35  # of the margins: a page or a window with controls, uneven
    written: float = 0.5  # of the wide margins
    poster: float = 0.4  # pictures with panels of colour and writing over the photo
    shadow: float = 0.5
    rounded: float = 0.15
    split: float = 0.4  # backgrounds of two parts
    hand: float = 0.2


@dataclass(frozen=True)
class Layers:
    """One draw for each slot of each photo (B, K, ...)."""

    slot: Tensor  # the slot's own number, int8
    shown: Tensor  # bool
    picture: Tensor  # bool; the others that are shown are blank or written sheets
    source: Tensor  # which picture of the batch
    crop: Tensor  # (B, K, 4) half extent and centre in the source, x then y
    margins: Tensor  # (B, K, 2, 4) inner and outer, left, top, right, bottom, in half sides of the layer
    margin_colours: Tensor  # (B, K, 2, 3)
    page: Tensor  # bool: the outer margin is written on
    writing: Tensor  # (B, K, 3) lines over the layer's height, words over its width, share of ink; 0 for none
    panels: Tensor  # (B, K, 4) where panels begin from left, top, right, bottom, in half sides
    panel_colour: Tensor  # (B, K, 3)
    panel_cover: (
        Tensor  # (B, K) how much of the photo a panel hides; margins hide all, so that the two differ
    )
    ink: Tensor  # (B, K, 3)
    shadow: Tensor  # (B, K, 4) depth, reach, offset x and y
    rounding: Tensor  # (B, K) radius of the corners in half sides

    def at(self, slot: int) -> Layers:
        """One slot of each photo: the same fields without the K."""
        return Layers(**{part.name: getattr(self, part.name)[:, slot] for part in fields(self)})


@dataclass(frozen=True)
class Backgrounds:
    """(B, P, ...) for each of the P parts."""

    source: Tensor
    affine: Tensor  # (B, P, 2, 3) from the photo's points to the source's
    colour: Tensor  # (B, P, 3)
    plain: Tensor  # (B, P) how much of the colour is mixed in
    line: Tensor  # (B, 3) the second part lies where line · (x, y, 1) > 0


@dataclass(frozen=True)
class Hands:
    """Fingers that reach into the photo (B, F, ...)."""

    ends: Tensor  # (B, F, 4) x and y of both ends
    radius: Tensor  # (B, F) 0 for none
    colour: Tensor  # (B, 3)


@dataclass(frozen=True)
class Scenes:
    poses: Poses
    layers: Layers
    backgrounds: Backgrounds
    hands: Hands


def draw_scenes(batch: int, pictures: int, generator: torch.Generator, settings: SceneSettings) -> Scenes:
    """Everything random about `batch` photos made from `pictures` pictures, before the camera's own effects."""
    dice = Dice(generator)
    poses = draw_poses(batch, generator, settings.poses)
    layers = draw_layers(poses, pictures, dice, settings)
    return Scenes(
        poses, layers, draw_backgrounds(batch, pictures, dice, settings), draw_hands(batch, dice, settings)
    )


def draw_layers(poses: Poses, pictures: int, dice: Dice, settings: SceneSettings) -> Layers:
    shape = poses.picture.shape
    slots = torch.arange(SLOTS, device=poses.picture.device)
    above = poses.single[:, None] & (slots == SLOTS - 1)
    other = torch.where(
        above, dice.happens(settings.above, *shape), dice.happens(settings.distractors, *shape)
    )
    extent = dice.uniform(*shape, 2, low=0.6)
    flip = torch.where(dice.happens(0.5, *shape), -1.0, 1.0)
    centre = (1 - extent) * dice.signed(*shape, 2)
    wide = dice.happens(settings.wide_margin, *shape)
    poster = poses.picture & dice.happens(settings.poster, *shape)
    page = wide & ~poster & dice.happens(settings.written, *shape)
    written = ~poses.picture & dice.happens(0.7, *shape)
    return Layers(
        slot=slots.to(torch.int8).expand(shape),
        shown=poses.picture | (other & ~poses.picture),
        picture=poses.picture,
        source=dice.whole(pictures, *shape),
        crop=torch.cat([extent[..., :1] * flip[..., None], extent[..., 1:], centre], -1),
        margins=draw_margins(poses, wide, dice, settings),
        margin_colours=draw_colours(dice, *shape, 2),
        page=page,
        writing=draw_writing(poster, poster | page | written, dice),
        panels=draw_panels(poster, dice),
        panel_colour=draw_colours(dice, *shape),
        panel_cover=torch.where(poses.picture, dice.uniform(*shape, low=0.6, high=0.95), 1.0),
        ink=draw_colours(dice, *shape),
        shadow=draw_shadows(poses, dice, settings),
        rounding=0.15 * dice.uniform(*shape) * dice.happens(settings.rounded, *shape),
    )


def draw_writing(poster: Tensor, there: Tensor, dice: Dice) -> Tensor:
    """A few large words on posters, many small ones on pages and sheets."""
    shape = poster.shape
    lines = torch.where(poster, dice.log_uniform((2, 8), *shape), dice.log_uniform((6, 60), *shape))
    words = torch.where(poster, dice.log_uniform((1.5, 6), *shape), dice.log_uniform((3, 20), *shape))
    return torch.stack([lines, words, dice.uniform(*shape, low=0.2, high=0.95)], -1) * there[..., None]


def draw_margins(poses: Poses, wide: Tensor, dice: Dice, settings: SceneSettings) -> Tensor:
    """Even margins look equally wide on all sides; uneven ones are pages and windows."""
    shape = poses.picture.shape
    width = dice.log_uniform((0.015, 0.35), *shape, 2)
    there = torch.stack(
        [dice.happens(settings.inner_margin, *shape), dice.happens(settings.outer_margin, *shape)], -1
    )
    stretch = poses.aspect.sqrt()[..., None]
    even = torch.stack([width / stretch, width * stretch] * 2, -1)  # (B, K, 2, 4)
    lopsided = dice.happens(settings.lopsided, *shape)[..., None, None]
    even = even * torch.where(lopsided, dice.log_uniform((0.25, 3.0), *shape, 2, 4), 1.0)
    uneven = dice.log_uniform((0.3, 3.0), *shape, 1, 1) * dice.uniform(*shape, 1, 4) ** 1.5
    outer = torch.where(wide[..., None, None], uneven, even[..., 1:, :])
    return torch.cat([even[..., :1, :], outer], -2) * (there & poses.picture[..., None])[..., None]


def draw_panels(poster: Tensor, dice: Dice) -> Tensor:
    """Where colour covers the photo: beyond ±1 is nowhere."""
    reach = 1 - dice.uniform(*poster.shape, 4) ** 2 * 0.9
    there = dice.happens(0.35, *poster.shape, 4) & poster[..., None]
    return torch.where(there, reach, torch.full_like(reach, 2.0))


def draw_shadows(poses: Poses, dice: Dice, settings: SceneSettings) -> Tensor:
    shape = poses.picture.shape
    there = dice.happens(settings.shadow, *shape) & ~poses.flat[:, None]
    depth = 0.7 * dice.uniform(*shape) * there
    return torch.cat(
        [depth[..., None], dice.uniform(*shape, 1, low=0.02, high=0.3), 0.08 * dice.signed(*shape, 2)], -1
    )


def draw_colours(dice: Dice, *shape: int) -> Tensor:
    """Mostly greys, blacks and whites with a tint, some of any colour (..., 3)."""
    grey = dice.uniform(*shape, 1)
    extreme = torch.where(grey < 0.5, 0.15 * dice.uniform(*shape, 1), 1 - 0.2 * dice.uniform(*shape, 1))
    grey = torch.where(dice.happens(0.6, *shape, 1), extreme, grey)
    tinted = (grey + 0.08 * dice.signed(*shape, 3)).clamp(0, 1)
    return torch.where(dice.happens(0.3, *shape, 1), dice.uniform(*shape, 3), tinted)


def draw_backgrounds(batch: int, pictures: int, dice: Dice, settings: SceneSettings) -> Backgrounds:
    """Photos, grained surfaces (a photo drawn out along one axis) and plain ones."""
    shape = (batch, BACKGROUNDS)
    kind = dice.uniform(*shape)
    zoom = dice.log_uniform((0.5, 2.2), *shape)
    grained = kind > 0.55
    along = torch.where(grained, dice.log_uniform((0.02, 0.3), *shape), zoom)
    across = torch.where(grained, dice.log_uniform((0.7, 3.0), *shape), zoom)
    angle = torch.where(
        grained | dice.happens(0.3, *shape), 3.2 * dice.signed(*shape), 0.05 * dice.signed(*shape)
    )
    cos, sin = angle.cos(), angle.sin()
    shift = dice.signed(*shape, 2)
    rows = [along * cos, -along * sin, shift[..., 0], across * sin, across * cos, shift[..., 1]]
    mixed = torch.where(kind > 0.85, 1.0, dice.uniform(*shape, low=0.3, high=0.95))
    there = dice.happens(settings.split, batch)
    direction = 3.2 * dice.signed(batch)
    offset = torch.where(there, 0.7 * dice.signed(batch), -5.0)
    return Backgrounds(
        source=dice.whole(pictures, *shape),
        affine=torch.stack(rows, -1).reshape(*shape, 2, 3),
        colour=draw_colours(dice, *shape),
        plain=torch.where(grained, mixed, torch.zeros_like(mixed)),
        line=torch.stack([direction.cos(), direction.sin(), offset], 1),
    )


def draw_hands(batch: int, dice: Dice, settings: SceneSettings) -> Hands:
    """Fingers and a palm from somewhere on the photo's rim inwards."""
    palm = torch.arange(FINGERS, device=dice.generator.device) == FINGERS - 1
    rim = 3.2 * dice.signed(batch, 1) + 0.35 * dice.signed(batch, FINGERS)
    reach = dice.uniform(batch, FINGERS, low=0.2, high=0.9) + 0.35 * palm
    lean = rim + 0.25 * dice.signed(batch, FINGERS)
    ends = [1.6 * rim.cos(), 1.6 * rim.sin(), reach * lean.cos(), reach * lean.sin()]
    there = dice.happens(settings.hand, batch, 1) & dice.happens(0.6, batch, FINGERS)
    skin = torch.tensor([0.85, 0.62, 0.5], device=rim.device)
    radius = dice.uniform(batch, FINGERS, low=0.05, high=0.14)
    return Hands(
        ends=torch.stack(ends, -1),
        radius=torch.where(palm, 2.5 * radius, radius) * there,
        colour=(skin * dice.uniform(batch, 1, low=0.3) + 0.05 * dice.signed(batch, 3)).clamp(0, 1),
    )
