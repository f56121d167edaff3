"""What a perfect locator would answer, for testing everything behind the network."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

GRID = 28
Corners = NDArray[np.float64]


def answer_for(
    quads: Sequence[Corners], rng: np.random.Generator | None = None, noise: float = 0.0
) -> NDArray[np.float32]:
    """Cells (784, 17) that know the quads, the later ones in front; with `rng` each begins with any corner."""
    axis = (np.arange(GRID) + 0.5) / GRID
    points = np.stack(np.meshgrid(axis, axis), -1).reshape(-1, 2)
    cells = np.zeros((len(points), 17))
    cells[:, 0] = 0.01
    cells[:, 1:9] = rng.random((len(points), 8)) if rng is not None else 0.5
    cells[:, 9:13], cells[:, 13:17] = 0.5, 0.25
    for quad in quads:
        for index in np.flatnonzero(inside(quad, points)):
            turn = int(rng.integers(4)) if rng is not None else 0
            cells[index] = cell_for(np.roll(quad, -turn, axis=0), (-turn) % 4, points[index])
            if rng is not None:
                cells[index, 1:9] += noise * np.repeat(cells[index, 9:13], 2) * rng.laplace(size=8)
    return cells.astype(np.float32)


def cell_for(quad: Corners, first: int, point: NDArray[np.float64]) -> NDArray[np.float64]:
    """Sure of near corners, less of far ones."""
    spread = 0.004 + 0.05 * np.linalg.norm(quad - point, axis=1)
    turns = np.full(4, 0.05)
    turns[first] = 0.85
    return np.concatenate([[0.95], quad.ravel(), spread, turns])


def inside(quad: Corners, points: NDArray[np.float64]) -> NDArray[np.bool_]:
    edges = np.roll(quad, -1, axis=0) - quad
    sides = [
        ex * (points[:, 1] - cy) - ey * (points[:, 0] - cx)
        for (cx, cy), (ex, ey) in zip(quad, edges, strict=True)
    ]
    return np.asarray((np.stack(sides) > 0).all(0))
