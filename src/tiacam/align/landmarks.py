"""Landmarks: the keypoints of a registered picture in at most 2 KB, as a record keeps them.

Format 1: 9 bytes of header (version; width and height as two uint16 in the picture's proportions; the box inside the
margin, in 255ths), then 12 bytes a landmark: x and y as 12 bits each, the angle as one
byte, and the signs of the descriptor on 64 axes.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tiacam.align.keypoints import AXES, Floats, Keypoints, find_keypoints
from tiacam.align.margins import Box, find_content
from tiacam.errors import DamagedRegistryError
from tiacam.image import Picture

VERSION = 1
HEADER = struct.Struct("<BHH4B")
EACH = 12
LARGEST = 2048
MOST = (LARGEST - HEADER.size) // EACH
LONGER_SIDE = 400  # enough for what a photo of it can show, and quick
FOUND = 800  # keypoints from which the landmarks are chosen
CELLS = 5  # in each direction: every part of the picture keeps some, lest a corner hide them all
FINEST = 4095
# Fewer tell too little apart: clouds, gradients and plain colours have up to 50 and are claimed for each other
# (results/smooth-fields.json); of 1,000 COCO photos two have fewer.
FEW = 64


@dataclass(frozen=True)
class Landmarks:
    """What a record knows of a picture's geometry. Points are in fractions of width and height."""

    points: Floats  # (N, 2)
    angles: Floats  # (N,) radians
    signs: Floats  # (N, 64) of -1 and 1
    aspect: float
    content: Box  # inside the margin

    def __len__(self) -> int:
        return len(self.points)

    def pack(self) -> bytes:
        wide, tall = proportions(self.aspect)
        header = HEADER.pack(VERSION, wide, tall, *(round(255 * edge) for edge in self.content))
        x, y = np.clip(np.rint(self.points * FINEST), 0, FINEST).astype(np.uint32).T
        place = x | y << 12  # 24 bits
        turn = np.rint(self.angles / (2 * math.pi) * 256).astype(np.int64) % 256
        rows = np.empty((len(self), EACH), np.uint8)
        for byte in range(3):
            rows[:, byte] = place >> 8 * byte & 255
        rows[:, 3] = turn
        rows[:, 4:] = np.packbits(self.signs > 0, axis=1)
        return header + rows.tobytes()

    @classmethod
    def unpack(cls, content: bytes) -> Landmarks:
        if len(content) < HEADER.size or (len(content) - HEADER.size) % EACH:
            raise DamagedRegistryError(f"landmarks of {len(content)} bytes are not whole")
        version, wide, tall, *edges = HEADER.unpack_from(content)
        if version != VERSION or not wide or not tall:
            raise DamagedRegistryError(f"landmarks of version {version}, this program reads {VERSION}")
        rows = np.frombuffer(content, np.uint8, offset=HEADER.size).reshape(-1, EACH)
        place = rows[:, 0] | rows[:, 1].astype(np.uint32) << 8 | rows[:, 2].astype(np.uint32) << 16
        points = np.stack([place & FINEST, place >> 12], axis=1).astype(np.float32) * np.float32(1 / FINEST)
        signs = np.unpackbits(rows[:, 4:], axis=1)[:, :AXES].astype(np.float32) * 2 - 1
        angles = rows[:, 3].astype(np.float32) * np.float32(2 * math.pi / 256)
        return cls(points, angles, signs, wide / tall, to_box(edges))


def choose_landmarks(picture: Picture) -> Landmarks:
    """The strongest keypoints, no part of the picture left out."""
    found = find_keypoints(picture, LONGER_SIDE, FOUND)
    chosen = spread(found, MOST)
    signs = np.where(found.descriptors[chosen] > 0, np.float32(1), np.float32(-1))
    return Landmarks(
        found.points[chosen], found.angles[chosen], signs, found.aspect, find_content(picture.pixels)
    )


def has_few_details(content: bytes) -> bool:
    """Whether a record's landmarks, as it keeps them, show a picture with almost nothing in it."""
    return bool(content) and len(Landmarks.unpack(content)) < FEW


def spread(found: Keypoints, count: int) -> NDArray[np.intp]:
    """Which keypoints to keep: in turns the strongest that is left in each cell, the strongest of those first."""
    column, row = np.clip(found.points * CELLS, 0, CELLS - 1).astype(int).T
    cell = row * CELLS + column
    place = np.zeros(len(found), int)  # how many stronger ones the same cell has
    for number in range(CELLS * CELLS):
        inside = cell == number
        place[inside] = np.arange(inside.sum())
    strong = np.arange(len(found))
    # Half of the places go to the strongest anywhere, the other half are shared out among the cells.
    first = strong[: count // 2]
    rest = strong[count // 2 :]
    shared = rest[np.argsort(place[rest], kind="stable")]
    return np.sort(np.concatenate([first, shared])[:count])


def proportions(aspect: float) -> tuple[int, int]:
    """Width and height as two whole numbers that keep the proportions."""
    return (65535, max(1, round(65535 / aspect))) if aspect >= 1 else (max(1, round(65535 * aspect)), 65535)


def to_box(edges: Sequence[int]) -> Box:
    left, top, right, bottom = (edge / 255 for edge in edges)
    return left, top, right, bottom
