"""Aligning: the nearest records' landmarks are looked for in the photo, and the picture is cut out where they are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tiacam.align import WHOLE_BOX, Alignment, Box, Keypoints, Landmarks, align, find_keypoints
from tiacam.app.lookup import Features, candidate
from tiacam.image import Picture
from tiacam.locate import Quad, same_place
from tiacam.locate.quad import to_points
from tiacam.locate.rectify import is_convex
from tiacam.model import FeatureModel
from tiacam.pipeline import Candidate, look
from tiacam.registry import Record
from tiacam.watermark import Corners

PHOTO_SIDE, PHOTO_KEYPOINTS = 512, 1000
# Of the part in which pictures were located: enough for what a photo shows of 400-pixel landmarks, at half the cost.
PART_SIDE, PART_KEYPOINTS = 320, 700
AROUND = 0.04  # of a located picture's sides, that belongs to its part
SMALLEST_PART = 32  # pixels to a side
SLACK = 0.05  # of the photo, by which a place may reach out of the part that was searched
WORTH_READING = 1e-2  # p-value of an alignment from which on the message is tried
# Details from which on their disagreement says something: of the record, and of the photo where the picture should be.
RICH_PICTURE, RICH_PLACE = 100, 200
CERTAIN = 1e-9  # p-value of an alignment after which no other record is looked for


@dataclass(frozen=True)
class Found:
    """A record whose landmarks agree on a place in the photo."""

    record: Record
    alignment: Alignment
    content: Quad  # the picture without its margin


class Geometry:
    """The keypoints of one photo, found when first needed, and what records make of them.

    With `places`, where a picture was located, only the part of the photo around it is searched: keypoints cost
    as much as several looks, and those of the table beside a picture say nothing about it. Where there are several
    pictures the photo is searched whole, for each of them is small.
    """

    def __init__(self, picture: Picture, places: Sequence[Quad] = ()) -> None:
        self._picture = picture
        one = places and all(same_place(place, places[0]) for place in places)
        self._part = part_around(places, picture) if one else WHOLE_BOX
        self._tried: set[str] = set()

    @cached_property
    def keypoints(self) -> Keypoints:
        """Their points are in fractions of the part."""
        if self._part == WHOLE_BOX:
            return find_keypoints(self._picture.pixels, PHOTO_SIDE, PHOTO_KEYPOINTS, spread=True)
        pixels = self._picture.pixels
        part = cut_box(pixels, self._part)
        shrunk = PHOTO_SIDE / max(pixels.shape)  # no larger than it is in the whole photo
        side = min(PART_SIDE, round(shrunk * max(part.shape)))
        share = (self._part[2] - self._part[0]) * (self._part[3] - self._part[1])
        strongest = round(share * PHOTO_KEYPOINTS)
        return find_keypoints(part, side, PART_KEYPOINTS, spread=True, strongest=strongest)

    def find(self, records: Iterable[Record], *, every: bool = False) -> list[Found]:
        """The records that the photo shows by their landmarks, the surest first; with `every`, all that it shows.

        A record that was looked for before is not looked for again.
        """
        found: list[Found] = []
        for record in records:
            if record.id in self._tried:
                continue
            self._tried.add(record.id)
            one = self.place(record)
            if one is not None:
                found.append(one)
                if one.alignment.p_value < CERTAIN and not every:
                    break
        return sorted(found, key=lambda one: one.alignment.p_value)

    def place(self, record: Record) -> Found | None:
        """Where the photo shows the record's picture by its landmarks."""
        if not record.landmarks:
            return None
        found = self._fit(Landmarks.unpack(record.landmarks))
        return Found(record, *found) if found else None

    def contradicts(self, landmarks: bytes, place: Corners | None) -> bool:
        """Whether the picture and its supposed place in the photo are both full of detail, and none of it agrees.

        Fine textures (grass, gravel) have features nearer to each other than chance allows; their details differ. A
        photo may be full of detail elsewhere and blurred in this place: that says nothing.
        """
        if not self._covers(place):
            return Geometry(self._picture).contradicts(landmarks, place)
        known = Landmarks.unpack(landmarks) if landmarks else ()
        if not known or len(known) < RICH_PICTURE:
            return False
        return self._details_in(place) >= RICH_PLACE and self._fit(known) is None

    def _fit(self, landmarks: Landmarks) -> tuple[Alignment, Quad] | None:
        alignment = align(landmarks, self.keypoints)
        if alignment is None or alignment.p_value > WORTH_READING:
            return None
        alignment = replace(alignment, corners=to_points(self._origin + self._size * alignment.corners))
        content = content_of(alignment, landmarks)
        return (alignment, content) if is_convex(np.array(content.corners)) else None

    def _details_in(self, place: Corners | None) -> int:
        """How many of the strongest keypoints lie in a part of the photo; None is all of it.

        The others would not do: noise has weak keypoints everywhere, and they agree with nothing.
        """
        strongest = self.keypoints.strongest
        if place is None:
            return len(strongest)
        corners = (np.array(place) - self._origin) / self._size
        sides = np.roll(corners, -1, axis=0) - corners  # (4, 2)
        away = strongest[:, None] - corners  # (N, 4, 2)
        turns = sides[:, 0] * away[..., 1] - sides[:, 1] * away[..., 0]  # (N, 4)
        return int(((turns >= 0).all(axis=1) | (turns <= 0).all(axis=1)).sum())

    @property
    def _origin(self) -> NDArray[np.float64]:
        return np.array(self._part[:2])

    @property
    def _size(self) -> NDArray[np.float64]:
        return np.array(self._part[2:]) - self._origin

    def _covers(self, place: Corners | None) -> bool:
        if self._part == WHOLE_BOX:
            return True
        if place is None:
            return False
        inside = np.clip(np.array(place), 0, 1) - self._origin
        return bool((inside >= -SLACK).all() and (inside <= self._size + SLACK).all())


def part_around(places: Sequence[Quad], picture: Picture) -> Box:
    """The upright part of a photo, in whole pixels, that holds some places and a little around them."""
    size = np.array(picture.pixels.shape[1::-1])
    corners = np.concatenate(
        [np.array(place.widened(*4 * (AROUND,)).corners) for place in places]
    )  # (4 N, 2)
    start = np.floor(np.clip(corners.min(axis=0), 0, 1) * size) / size
    end = np.ceil(np.clip(corners.max(axis=0), 0, 1) * size) / size
    if ((end - start) * size < SMALLEST_PART).any():
        return WHOLE_BOX
    left, top, right, bottom = (float(edge) for edge in (*start, *end))
    return left, top, right, bottom


def cut_box(pixels: NDArray[np.uint8], box: Box) -> NDArray[np.uint8]:
    height, width = pixels.shape[:2]
    left, right = round(box[0] * width), round(box[2] * width)
    top, bottom = round(box[1] * height), round(box[3] * height)
    return np.ascontiguousarray(pixels[top:bottom, left:right])


def content_of(alignment: Alignment, landmarks: Landmarks) -> Quad:
    left, top, right, bottom = landmarks.content
    whole = Quad(alignment.corners, confidence=1.0, turns=(1.0, 0.0, 0.0, 0.0))
    return whole.widened(-left, -top, right - 1, bottom - 1)


def read_aligned(model: FeatureModel, picture: Picture, found: Sequence[Found]) -> list[Candidate]:
    """Candidates from the aligned views, one for each record, with the geometry as evidence."""
    features = look(model, [picture], [one.content for one in found])[0]
    return [aligned(one, feature) for one, feature in zip(found, features, strict=True)]


def aligned(one: Found, feature: Features) -> Candidate:
    cosine = float(feature @ unit(one.record))
    seen = candidate(one.record, cosine, one.content, feature)
    return replace(seen, view="aligned", corners=one.alignment.corners, alignment=one.alignment)


def unit(record: Record) -> Features:
    """The registered feature at unit length; in the ledger it is rounded to half precision."""
    wide = record.feature.astype(np.float32)
    return wide / np.float32(np.linalg.norm(wide))
