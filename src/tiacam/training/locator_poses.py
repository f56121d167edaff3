"""Where pictures lie in the locator's training photos: one, several, side by side in one plane, or none."""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor

from tiacam.augment.perspective import PerspectiveParams, projection

SLOTS = (
    4  # layers of a photo from back to front, each a picture, something else that is rectangular, or nothing
)
SINGLE_SLOT = 2  # with one picture, what lies below it and what lies above it have places too
# Width over height of the photos, which the network sees squashed to squares.
FRAMES = (4 / 3, 3 / 4, 16 / 9, 9 / 16, 1.0)
GRIDS = ((1, 2), (2, 1), (2, 2), (1, 3), (3, 1), (1, 4))  # rows and columns of pictures in one plane


@dataclass(frozen=True)
class PoseSettings:
    """Shares are probabilities; the rest of `single + scattered + grid` shows no picture."""

    single: float = 0.6
    scattered: float = 0.13
    grid: float = 0.13
    flat: float = 0.18  # screenshots and scans: no tilt, no turn
    spanning: float = 0.4  # of those with one picture: it reaches from one side of the photo to the other
    area: tuple[float, float] = (0.05, 1.1)  # share of the photo that a single picture covers
    small_area: tuple[float, float] = (0.03, 0.3)  # of one of several
    tilt: float = math.radians(48)
    aspect: float = 0.75  # largest |log| of width over height
    any_angle: float = 0.35
    quarter_turn: float = 0.4
    lean: float = math.radians(12)


@dataclass(frozen=True)
class Poses:
    """One draw for a batch."""

    to_frame: Tensor  # (B, K, 3, 3) from a layer's [-1, 1]² to the photo's [-1, 1]²
    aspect: Tensor  # (B, K) width over height of the layer before it is seen
    picture: Tensor  # (B, K) bool: the slot is meant for a picture
    single: Tensor  # (B,) bool
    flat: Tensor  # (B,) bool


class Dice:
    """Uniform numbers on the generator's device."""

    def __init__(self, generator: torch.Generator) -> None:
        self.generator = generator

    def uniform(self, *shape: int, low: float = 0.0, high: float = 1.0) -> Tensor:
        return low + (high - low) * torch.rand(shape, generator=self.generator, device=self.generator.device)

    def signed(self, *shape: int) -> Tensor:
        return self.uniform(*shape, low=-1.0)

    def happens(self, share: float, *shape: int) -> Tensor:
        return self.uniform(*shape) < share

    def whole(self, below: int, *shape: int) -> Tensor:
        return torch.randint(below, shape, generator=self.generator, device=self.generator.device)

    def log_uniform(self, span: tuple[float, float], *shape: int) -> Tensor:
        return self.uniform(*shape, low=math.log(span[0]), high=math.log(span[1])).exp()


def draw_poses(batch: int, generator: torch.Generator, settings: PoseSettings) -> Poses:
    dice = Dice(generator)
    mode = dice.uniform(batch)
    single = mode < settings.single
    scattered = (mode >= settings.single) & (mode < settings.single + settings.scattered)
    grid = (mode >= settings.single + settings.scattered) & (
        mode < settings.single + settings.scattered + settings.grid
    )
    flat = dice.happens(settings.flat, batch) | (grid & dice.happens(0.5, batch))
    aspect = (settings.aspect * dice.signed(batch, SLOTS) * dice.uniform(batch, SLOTS).sqrt()).exp()
    area = torch.where(
        single[:, None],
        dice.log_uniform(settings.area, batch, SLOTS),
        dice.log_uniform(settings.small_area, batch, SLOTS),
    )
    own = lie(area, aspect, flat, dice, settings)  # (B, K, 3, 3)
    plane = lie(dice.log_uniform((0.15, 1.2), batch, 1), torch.ones_like(aspect[:, :1]), flat, dice, settings)
    cells, counted = lay_grid(batch, dice)
    frame = dice.whole(len(FRAMES), batch)
    widths = torch.tensor([math.sqrt(ratio) for ratio in FRAMES], device=area.device)[frame]
    squash = torch.diag_embed(torch.stack([1 / widths, widths, torch.ones_like(widths)], 1))  # (B, 3, 3)
    matrices = torch.where(grid[:, None, None, None], plane @ cells, own)
    slots = torch.arange(SLOTS, device=area.device)
    picture = single[:, None] & (slots == SINGLE_SLOT)
    picture = picture | (scattered[:, None] & dice.happens(0.75, batch, SLOTS)) | (grid[:, None] & counted)
    ratios = torch.where(grid[:, None], cells[:, :, 0, 0] / cells[:, :, 1, 1], aspect)
    to_frame = squash[:, None] @ matrices
    spanning = (single & flat & dice.happens(settings.spanning, batch))[:, None] & (slots == SINGLE_SLOT)
    to_frame = torch.where(spanning[:, :, None, None], span(batch, dice)[:, None], to_frame)
    return Poses(to_frame, ratios, picture, single, flat)


def span(batch: int, dice: Dice) -> Tensor:
    """Pictures as wide or as high as the photo (B, 3, 3), as apps show them."""
    half = dice.uniform(batch, low=0.2, high=0.95)
    shift = (1 - half) * dice.signed(batch)
    zero, one = torch.zeros_like(half), torch.ones_like(half)
    wide = torch.stack([one, zero, zero, zero, half, shift, zero, zero, one], -1)
    high = torch.stack([half, zero, shift, zero, one, zero, zero, zero, one], -1)
    return torch.where(dice.happens(0.7, batch, 1), wide, high).reshape(batch, 3, 3)


def lie(area: Tensor, aspect: Tensor, flat: Tensor, dice: Dice, settings: PoseSettings) -> Tensor:
    """Rectangles (B, K) of these areas somewhere in a square photo, seen by a camera (B, K, 3, 3)."""
    batch, slots = area.shape
    still = flat[:, None].expand(batch, slots).reshape(-1)
    n = batch * slots
    turn = dice.happens(settings.quarter_turn, n) * (math.pi / 2) * dice.whole(4, n)
    turn = (
        turn + dice.happens(settings.any_angle, n) * math.pi * dice.signed(n) + settings.lean * dice.signed(n)
    )
    tilt = settings.tilt * dice.uniform(n)
    direction = math.pi * dice.signed(n)
    side = area.reshape(-1).sqrt()
    room = (1 - side).clamp_min(0.0) + 0.2 * dice.uniform(n)
    upright = dice.happens(0.9, n)  # of those without a turn
    none = torch.zeros(n, device=area.device)
    pose = PerspectiveParams(
        strength=torch.ones(n, device=area.device),
        yaw=torch.where(still, none, tilt * direction.cos()),
        pitch=torch.where(still, none, tilt * direction.sin()),
        roll=torch.where(still, torch.where(upright, none, math.pi / 2 * dice.whole(4, n)), turn),
        zoom=side.log(),
        shift_x=room * dice.signed(n),
        shift_y=room * dice.signed(n),
        lens=none,
    )
    stretch = aspect.reshape(-1).sqrt()
    stretched = torch.stack([stretch, 1 / stretch, torch.ones_like(stretch)], 1)
    return (projection(pose) * stretched[:, None, :]).reshape(batch, slots, 3, 3)


def lay_grid(batch: int, dice: Dice) -> tuple[Tensor, Tensor]:
    """Cells of a grid in [-1, 1]² as matrices (B, K, 3, 3), and which slots have one (B, K)."""
    device = dice.generator.device
    grids = torch.tensor(GRIDS, device=device, dtype=torch.float32)[dice.whole(len(GRIDS), batch)]  # (B, 2)
    rows, columns = grids[:, :1], grids[:, 1:]
    slots = torch.arange(SLOTS, device=device, dtype=torch.float32)[None]
    row, column = (slots / columns).floor(), slots % columns
    gap = 0.12 * dice.uniform(batch, 1) ** 2 * dice.happens(0.8, batch, 1)
    half_x, half_y = 1 / columns - gap, 1 / rows - gap
    x, y = (2 * column + 1) / columns - 1, (2 * row + 1) / rows - 1
    zero, one = torch.zeros_like(x), torch.ones_like(x)
    matrix = torch.stack([half_x + zero, zero, x, zero, half_y + zero, y, zero, zero, one], -1)
    return matrix.reshape(batch, SLOTS, 3, 3), slots < rows * columns
