"""The truth about a drawn photo, as the locator's cells are asked for it."""

from __future__ import annotations

import torch
from torch import Tensor

from tiacam.training.locator_losses import CellTargets
from tiacam.training.locator_poses import SLOTS
from tiacam.training.locator_render import NOTHING, frame_points, lay_surface
from tiacam.training.locator_scenes import Scenes

OUTLINE = 12  # points of each side that are looked for in the photo
LEAST_OUTLINE = 0.3  # of a picture's outline must be in the photo: without borders it is just a photo
FARTHEST = 1.5  # corners farther from the photo's middle than this, in its sides, are not asked for
LEAST_CELLS = 3.0
LEAST_VISIBLE = 0.35  # of a picture's part in the photo must not be hidden by other things


def picture_corners(to_frame: Tensor) -> Tensor:
    """Corners tl, tr, br, bl of every layer (B, K, 4, 2) in sides of the photo, from 0 to 1 inside it."""
    square = torch.tensor([[-1.0, -1, 1], [1, -1, 1], [1, 1, 1], [-1, 1, 1]], device=to_frame.device)
    return to_photo(to_frame, square)


def to_photo(to_frame: Tensor, points: Tensor) -> Tensor:
    """Points (N, 3) of the layers' planes in the photo (B, K, N, 2); far away where they are behind the camera."""
    seen = torch.einsum("bkij,nj->bkni", to_frame, points)
    depth = seen[..., 2:]
    return torch.where(
        depth > 0.05, (seen[..., :2] / depth.clamp_min(0.05) + 1) / 2, torch.full_like(depth, 9.0)
    )


def outline_share(to_frame: Tensor) -> Tensor:
    """How much of each layer's outline lies in the photo (B, K)."""
    run = (torch.arange(OUTLINE, device=to_frame.device) * 2 + 1) / OUTLINE - 1
    one = torch.ones_like(run)
    sides = [(run, -one), (run, one), (-one, run), (one, run)]
    points = torch.cat([torch.stack([u, v, one], 1) for u, v in sides])
    photo = to_photo(to_frame, points)
    return ((photo > 0) & (photo < 1)).all(-1).float().mean(-1)


def make_targets(scenes: Scenes, shown: Tensor, cells: int) -> CellTargets:
    """Targets on a grid of cells from the drawn photo's map of pictures (B, S', S')."""
    step = shown.shape[-1] // cells
    slot = shown[:, step // 2 :: step, step // 2 :: step].long()  # (B, G, G)
    present = slot != NOTHING
    corners = picture_corners(scenes.poses.to_frame)  # (B, K, 4, 2)
    far = (corners - 0.5).abs().amax((-1, -2)) > FARTHEST
    share = torch.stack([(slot == k).float().sum((1, 2)) for k in range(SLOTS)], 1)  # (B, K) cells
    hidden = share < LEAST_VISIBLE * count_cells(scenes.poses.to_frame, cells)
    unclear = far | hidden | (outline_share(scenes.poses.to_frame) < LEAST_OUTLINE)  # (B, K)
    index = slot.clamp_min(0)
    counted = ~(present & take(unclear, index))
    weight = take(share.clamp_min(LEAST_CELLS).rsqrt(), index) * present * counted
    return CellTargets(
        present=present.float(), corners=take_corners(corners, index), weight=weight, counted=counted.float()
    )


def count_cells(to_frame: Tensor, cells: int) -> Tensor:
    """How many cells each layer would have if nothing lay on it (B, K)."""
    points = frame_points(cells, to_frame.device)
    surfaces = (lay_surface(matrix, points) for matrix in to_frame.unbind(1))
    none = torch.zeros(len(to_frame), 4, device=to_frame.device)
    return torch.stack([surface.within(none).float().sum((1, 2)) for surface in surfaces], 1)


def take(values: Tensor, index: Tensor) -> Tensor:
    """values (B, K) at index (B, G, G)."""
    return values.gather(1, index.flatten(1)).reshape(index.shape)


def take_corners(corners: Tensor, index: Tensor) -> Tensor:
    """corners (B, K, 4, 2) at index (B, G, G) → (B, G, G, 4, 2)."""
    flat = index.flatten(1)[:, :, None, None].expand(-1, -1, 4, 2)
    return corners.gather(1, flat).reshape(*index.shape, 4, 2)
