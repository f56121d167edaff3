"""The locator's network: where pictures are in a photo, cell by cell.

Lite0's first stages see the photo at strides 8, 16 and 32; a light decoder brings them together at stride 8. Each
cell then says whether it shows a displayed picture, where that picture's four corners are as seen from the cell,
how sure it is of each corner, and which of them is the picture's own top left.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

from tiacam.features.efficientnet import (
    INPUT_MEAN,
    INPUT_SCALE,
    EfficientNetLite0,
    convolution,
    normalisation,
)

SIZE = 224
STRIDE = 8
CHANNELS = 17  # presence, 4 × 2 offsets, 4 spreads, 4 orientations
# Index of the last block of the stages that end at strides 8, 16 and 32; the widest stage is left out.
ENDS = (4, 10, 14)
END_CHANNELS = (40, 112, 192)
SPREADS = (0.003, 1.0)  # of a corner, in sides of the photo


@dataclass(frozen=True)
class CellOutputs:
    """What the network says of each cell, (B, G, G, ...)."""

    presence: Tensor  # (B, G, G) logit: the cell shows a picture
    corners: Tensor  # (B, G, G, 4, 2) x and y in sides of the photo, clockwise as displayed
    log_spread: Tensor  # (B, G, G, 4) scale of a Laplace distribution around each corner
    orientation: Tensor  # (B, G, G, 4) logits: which corner is the picture's own top left


class Separable(nn.Module):
    """Depth-wise then 1×1 convolution with a skip."""

    def __init__(self, channels: int, kernel: int) -> None:
        super().__init__()
        self.depthwise = convolution(channels, channels, kernel, groups=channels)
        self.depthwise_norm = normalisation(channels)
        self.project = convolution(channels, channels)
        self.project_norm = normalisation(channels)

    def forward(self, image: Tensor) -> Tensor:
        hidden = functional.relu6(self.depthwise_norm(self.depthwise(image)))
        return functional.relu6(image + self.project_norm(self.project(hidden)))


class LocatorNetwork(nn.Module):
    """Photos (B, 3, S, S) in [0, 1] → (B, 17, S/8, S/8)."""

    def __init__(self, width: int = 128) -> None:
        super().__init__()
        lite = EfficientNetLite0()
        self.stem, self.stem_norm = lite.stem, lite.stem_norm
        self.blocks = nn.ModuleList(list(lite.blocks)[: ENDS[-1] + 1])
        self.lateral = nn.ModuleList(
            nn.Sequential(convolution(channels, width), normalisation(width)) for channels in END_CHANNELS
        )
        # seven cells at stride 32 are the whole photo: two such kernels let every cell know of every corner
        self.fuse = nn.ModuleList(
            [
                nn.Sequential(Separable(width, 3), Separable(width, 5)),
                nn.Sequential(Separable(width, 5), Separable(width, 5)),
                nn.Sequential(Separable(width, 7), Separable(width, 7)),
            ]
        )
        self.head = nn.Conv2d(width, CHANNELS, 1)
        nn.init.normal_(self.head.weight, std=0.01)
        assert self.head.bias is not None
        nn.init.zeros_(self.head.bias)

    def load_lite0(self, whole: EfficientNetLite0) -> None:
        """Start from a whole Lite0's weights."""
        self.stem.load_state_dict(whole.stem.state_dict())
        self.stem_norm.load_state_dict(whole.stem_norm.state_dict())
        for ours, theirs in zip(self.blocks, whole.blocks, strict=False):
            ours.load_state_dict(theirs.state_dict())

    def forward(self, image: Tensor) -> Tensor:
        hidden = functional.relu6(self.stem_norm(self.stem((image * 255.0 - INPUT_MEAN) / INPUT_SCALE)))
        ends = []
        for index, block in enumerate(self.blocks):
            hidden = block(hidden)
            if index in ENDS:
                ends.append(hidden)
        merged: Tensor | None = None
        for end, lateral, fuse in zip(
            reversed(ends), reversed(self.lateral), reversed(self.fuse), strict=True
        ):
            level = lateral(end)
            if merged is not None:
                level = level + functional.interpolate(merged, scale_factor=2.0, mode="nearest")
            merged = fuse(functional.relu6(level))
        out: Tensor = self.head(merged)
        return out


def read_cells(raw: Tensor) -> CellOutputs:
    """The network's channels (B, 17, G, G) with their meaning.

    It judges distances by what it sees, so by pixels: in a smaller photo the same step is a larger part of the whole.
    """
    cells = raw.float().permute(0, 2, 3, 1)  # (B, G, G, 17)
    grid = cells.shape[1]
    step = torch.as_tensor(SIZE / STRIDE / grid, device=raw.device)  # a tensor, so that an export traces it
    axis = (torch.arange(grid, device=raw.device) + 0.5) / grid
    centres = torch.stack(torch.meshgrid(axis, axis, indexing="xy"), -1)  # (G, G, 2)
    offsets = cells[..., 1:9].unflatten(-1, (4, 2))
    low, high = (torch.tensor(value).log().item() for value in SPREADS)
    return CellOutputs(
        presence=cells[..., 0],
        corners=centres[:, :, None] + offsets * step,
        log_spread=cells[..., 9:13].clamp(low, high) + step.log(),
        orientation=cells[..., 13:17],
    )


class ShippedLocator(nn.Module):
    """uint8 photos (B, S, S, 3) → (B, cells, 17): presence, corners, spreads and orientation as probabilities."""

    def __init__(self, network: LocatorNetwork) -> None:
        super().__init__()
        self.network = network

    def forward(self, pixels: Tensor) -> Tensor:
        cells = read_cells(self.network(pixels.permute(0, 3, 1, 2).to(torch.float32) / 255.0))
        parts = [
            cells.presence.sigmoid()[..., None],
            cells.corners.flatten(-2),
            cells.log_spread.exp(),
            cells.orientation.softmax(-1),
        ]
        return torch.cat(parts, -1).reshape(pixels.shape[0], -1, CHANNELS)
