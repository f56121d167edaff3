"""From cells to quadrilaterals: cells that mean the same picture are found and their corners brought together."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from tiacam.locate.quad import Quad, to_points
from tiacam.locate.rectify import NEXT, area, is_convex

Array = NDArray[np.float64]

PRESENT = 0.35  # cells less likely than this to show a picture have no vote
AGREEMENT = (
    0.2  # mean distance of two cells' corners, in sides of the picture, up to which they mean the same one
)
LEAST_VOTES = 1.5  # a single cell is no picture
TURNS = (np.arange(4) + np.arange(4)[:, None]) % 4  # row k: the corners in order, beginning with k
SAME_PLACE = 0.3  # two results nearer than this, in sides of the picture, are one


@dataclass(frozen=True)
class Cells:
    """The network's answer for one photo, (N, ...) for the N cells of its grid."""

    presence: Array  # (N,)
    corners: Array  # (N, 4, 2) fractions of the photo
    spread: Array  # (N, 4)
    turns: Array  # (N, 4) probabilities that a corner is the picture's own top left

    @classmethod
    def of(cls, raw: NDArray[np.float32]) -> Cells:
        """Split the network's output (N, 17)."""
        wide = raw.astype(np.float64)
        return cls(wide[:, 0], wide[:, 1:9].reshape(-1, 4, 2), wide[:, 9:13], wide[:, 13:17])

    def take(self, index: NDArray[np.bool_] | NDArray[np.intp]) -> Cells:
        return Cells(self.presence[index], self.corners[index], self.spread[index], self.turns[index])

    def turned_towards(self, quad: Array) -> tuple[Cells, Array]:
        """The cells' corners begun where they come nearest to `quad` (4, 2), and how near that is (N,)."""
        apart = self.corners[:, TURNS] - quad  # (N, 4, 4, 2)
        # `norm` takes four times as long.
        away = np.sqrt(apart[..., 0] ** 2 + apart[..., 1] ** 2).mean(-1)  # (N, 4)
        order = TURNS[away.argmin(-1)]  # (N, 4)
        corners = np.take_along_axis(self.corners, order[:, :, None], axis=1)
        spread, turns = (np.take_along_axis(part, order, axis=1) for part in (self.spread, self.turns))
        return Cells(self.presence, corners, spread, turns), away.min(-1)


def vote(raw: NDArray[np.float32], limit: int) -> list[Quad]:
    """At most `limit` quadrilaterals from the network's output (N, 17) for one photo, the surest first."""
    everything = Cells.of(raw)
    left = everything.take(everything.presence > PRESENT)
    found: list[Quad] = []
    for _ in range(2 * limit):
        if left.presence.sum() < LEAST_VOTES or len(found) == limit:
            break
        first = int(np.argmax(left.presence / (1 + 10 * left.spread.mean(-1) / sides(left.corners))))
        cells, away = left.turned_towards(left.corners[first])
        agreeing = away < AGREEMENT * np.sqrt(max(area(left.corners[first]), 1e-6))
        quad = bring_together(cells.take(agreeing), everything)
        left = cells.take(~agreeing)
        if quad is not None and not any(same_place(quad, other) for other in found):
            found.append(quad)
    return sorted(found, key=lambda quad: -quad.confidence)


def bring_together(cells: Cells, everything: Cells) -> Quad | None:
    """One quadrilateral from cells that agree; the surer a cell is of a corner, the more it counts there."""
    if cells.presence.sum() < LEAST_VOTES:
        return None
    weight = cells.presence[:, None] / cells.spread**2  # (N, 4)
    corners = (cells.corners * weight[:, :, None]).sum(0) / weight.sum(0)[:, None]
    if not is_convex(corners):
        return None
    turns = (cells.turns * cells.presence[:, None]).sum(0) / cells.presence.sum()
    first = int(turns.argmax())
    a, b, c, d = turns[TURNS[first]].tolist()
    return Quad(to_points(corners[TURNS[first]]), rate(cells, corners, everything), (a, b, c, d))


def rate(cells: Cells, corners: Array, everything: Cells) -> float:
    """How sure: the share of the quadrilateral's cells that vote for it, less where they are vague about it."""
    inside = inside_photo_cells(corners, len(everything.presence))
    share = min(1.0, cells.presence.sum() / max(1.0, float(inside)))
    vague = float(cells.spread.min(0).mean() / np.sqrt(area(corners)))
    return float(share * np.exp(-4 * vague))


def inside_photo_cells(corners: Array, count: int) -> int:
    """How many of the grid's cells have their centres inside."""
    edges = corners[NEXT] - corners  # (4, 2)
    away = cell_centres(round(np.sqrt(count))) - corners[:, None]  # (4, N, 2)
    side = edges[:, :1] * away[..., 1] - edges[:, 1:] * away[..., 0]  # (4, N)
    return int(((side > 0).all(0) | (side < 0).all(0)).sum())


@cache
def cell_centres(grid: int) -> Array:
    """Of a grid of so many cells a side, row by row (N, 2)."""
    axis = (np.arange(grid) + 0.5) / grid
    return np.stack(np.meshgrid(axis, axis), axis=-1).reshape(-1, 2)


def sides(corners: Array) -> Array:
    """The side of a square of each quadrilateral's area (N,)."""
    x, y = corners[..., 0], corners[..., 1]
    twice = (x * y[..., NEXT] - y * x[..., NEXT]).sum(-1)
    return np.asarray(np.sqrt(np.maximum(np.abs(twice) / 2, 1e-6)))


def same_place(one: Quad, other: Quad, within: float = SAME_PLACE) -> bool:
    """Whether the corners differ by less than this many sides on average, whichever comes first."""
    corners, reference = np.array(one.corners), np.array(other.corners)
    turned = corners[TURNS[-nearest_turn(corners, reference)]]
    away = np.linalg.norm(turned - reference, axis=-1).mean()
    return bool(away < within * np.sqrt(area(reference)))


def nearest_turn(corners: Array, reference: Array) -> int:
    """By how much to roll the corners (4, 2) to come nearest to the reference."""
    rolled = corners[TURNS[[0, -1, -2, -3]]]  # (4, 4, 2)
    return int(((rolled - reference) ** 2).sum(axis=(1, 2)).argmin())
