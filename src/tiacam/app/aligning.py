"""Aligning: the nearest records' landmarks are looked for in the photo, and the picture is cut out where they are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tiacam.align import Alignment, Keypoints, Landmarks, align, find_keypoints, to_grey
from tiacam.app.covered import Uncovered, margin_over
from tiacam.app.lighting import WithoutGlare, even
from tiacam.app.lookup import Features, candidate
from tiacam.image import Picture
from tiacam.locate import Quad, same_place, straighten
from tiacam.locate.quad import Point, to_points
from tiacam.locate.rectify import NEXT, UNIT_SQUARE, apply_homography, homography, is_convex
from tiacam.model import FeatureModel
from tiacam.pipeline import Candidate, Sight, look
from tiacam.registry import Record
from tiacam.watermark import Corners

PHOTO_SIDE, PHOTO_KEYPOINTS = 512, 1000
# Of a located picture, pulled straight: enough for what a photo shows of 400-pixel landmarks, at a third of the cost.
PART_SIDE, PART_KEYPOINTS = 304, 700
HASTE = 0.74  # of this side where no record came near: half of the cost
AROUND = 0.05  # of a located picture's sides, that belongs to its part
SMALLEST_PART = 32  # pixels to a side
SLACK = 0.05  # of the part, by which a place may reach out of the part that was searched
WORTH_READING = 1e-2  # p-value of an alignment from which on the message is tried
# Details from which on their disagreement says something: of the record, and of the photo where the picture should be,
# if that is all of it; fewer in a part, but never fewer than the record needs.
RICH_PICTURE, RICH_PHOTO = 100, 200
CERTAIN = 1e-9  # p-value of an alignment after which no other record is looked for


@dataclass(frozen=True)
class Found:
    """A record whose landmarks agree on a place in the photo."""

    record: Record
    alignment: Alignment
    content: Quad  # the picture without its margin


class Geometry:
    """The keypoints of one photo, found when first needed, and what records make of them.

    With `places`, where a picture was located, only the part of the photo around it is searched, pulled straight:
    keypoints cost as much as several looks, and those of the table beside a picture say nothing about it. Where
    there are several pictures the photo is searched whole, for each of them is small. `evened` is for a part under
    haze: its contrast is made the same everywhere.
    """

    def __init__(
        self, picture: Picture, places: Sequence[Quad] = (), *, hasty: bool = False, evened: bool = False
    ) -> None:
        self._picture = picture
        self._places = tuple(places)
        self._hasty = hasty
        self._evened = evened
        self._tried: set[str] = set()

    @cached_property
    def _part(self) -> Quad | None:
        """The part that is searched; of several places the photo is searched whole."""
        first, *others = self._places or (None,)
        if first is None or not all(same_place(place, first) for place in others):
            return None
        return part_around(first, self._picture)

    @cached_property
    def keypoints(self) -> Keypoints:
        """Their points are in fractions of the part."""
        pixels, haste = self._picture.pixels, HASTE if self.hasty else 1.0
        if self._part is None:
            return find_keypoints(pixels, PHOTO_SIDE, PHOTO_KEYPOINTS, spread=True)
        height, width = pixels.shape[:2]
        corners = self._part.in_pixels(width, height)
        sides = proportions(corners)
        # no larger than it is in the whole photo
        scale = haste * min(PART_SIDE / sides.max(), PHOTO_SIDE / max(width, height), 1.0)
        across, down = (max(SMALLEST_PART, round(scale * side)) for side in sides)
        part = straighten(to_grey(pixels), corners, across, down)
        part = even(part) if self._evened else part
        strongest = round(min(1.0, self._part.smallest_side**2) * PHOTO_KEYPOINTS)
        return find_keypoints(part, max(part.shape), PART_KEYPOINTS, spread=True, strongest=strongest)

    @property
    def hasty(self) -> bool:
        """Whether it takes less time than it could; several pictures are small enough as it is."""
        return self._hasty and self.is_part

    @property
    def is_part(self) -> bool:
        """Whether only a part of the photo is searched."""
        return self._part is not None

    def look_closer(self) -> None:
        """Take the time after all: keypoints that were found in haste are found again, for all records."""
        if self.hasty:
            self._hasty = False
            self._tried.clear()
            self.__dict__.pop("keypoints", None)

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
        self.look_closer()
        known = Landmarks.unpack(landmarks) if landmarks else ()
        if not known or len(known) < RICH_PICTURE:
            return False
        enough = max(RICH_PICTURE, RICH_PHOTO * share_of(place))
        return self._details_in(place) >= enough and self._fit(known) is None

    def _fit(self, landmarks: Landmarks) -> tuple[Alignment, Quad] | None:
        alignment = align(landmarks, self.keypoints)
        if alignment is None or alignment.p_value > WORTH_READING:
            return None
        alignment = replace(alignment, corners=self._in_photo(alignment))
        content = content_of(alignment, landmarks)
        return (alignment, content) if is_convex(np.array(content.corners)) else None

    def _details_in(self, place: Corners | None) -> int:
        """How many of the strongest keypoints lie in a part of the photo; None is all of it.

        The others would not do: noise has weak keypoints everywhere, and they agree with nothing.
        """
        strongest = self.keypoints.strongest
        if place is None:
            return len(strongest)
        corners = self._in_part(place)
        sides = corners[NEXT] - corners  # (4, 2)
        away = strongest[:, None] - corners  # (N, 4, 2)
        turns = sides[:, 0] * away[..., 1] - sides[:, 1] * away[..., 0]  # (N, 4)
        return int(((turns >= 0).all(axis=1) | (turns <= 0).all(axis=1)).sum())

    def _covers(self, place: Corners | None) -> bool:
        if self._part is None:
            return True
        if place is None:
            return False
        inside = self._in_part(tuple((min(max(x, 0.0), 1.0), min(max(y, 0.0), 1.0)) for x, y in place))
        return bool((inside >= -SLACK).all() and (inside <= 1 + SLACK).all())

    def _in_photo(self, alignment: Alignment) -> Corners:
        if self._part is None:
            return alignment.corners
        matrix = homography(UNIT_SQUARE, np.array(self._part.corners))
        return to_points(apply_homography(matrix, np.array(alignment.corners)))

    def _in_part(self, place: Sequence[Point]) -> NDArray[np.float64]:
        if self._part is None:
            return np.array(place)
        return apply_homography(homography(np.array(self._part.corners), UNIT_SQUARE), np.array(place))


def share_of(place: Corners | None) -> float:
    """The part of the photo's area that a place takes; None is all of it."""
    if place is None:
        return 1.0
    x, y = np.clip(np.array(place), 0, 1).T
    return float(abs(x @ y[NEXT] - y @ x[NEXT]) / 2)


def part_around(place: Quad, picture: Picture) -> Quad | None:
    """A located picture and a little around it; None where it is too small to be searched alone."""
    part = place.widened(*4 * (AROUND,))
    height, width = picture.pixels.shape[:2]
    return part if proportions(part.in_pixels(width, height)).min() >= SMALLEST_PART else None


def proportions(corners: NDArray[np.float64]) -> NDArray[np.float64]:
    """Width and height of a quadrilateral (4, 2): the means of opposite sides."""
    sides = np.linalg.norm(corners[NEXT] - corners, axis=1)
    return np.array([sides[0] + sides[2], sides[1] + sides[3]]) / 2


def content_of(alignment: Alignment, landmarks: Landmarks) -> Quad:
    left, top, right, bottom = landmarks.content
    whole = Quad(alignment.corners, confidence=1.0, turns=(1.0, 0.0, 0.0, 0.0))
    return whole.widened(-left, -top, right - 1, bottom - 1)


def read_aligned(model: FeatureModel, picture: Picture, found: Sequence[Found]) -> list[Candidate]:
    """Candidates from the aligned views, one for each record, with the geometry as evidence."""
    return read_seen(model, picture, [(one, one.content) for one in found])


def read_without_glare(model: FeatureModel, picture: Picture, found: Sequence[Found]) -> list[Candidate]:
    """The same from views whose reflections are filled."""
    return read_seen(model, picture, [(one, WithoutGlare(one.content)) for one in found])


def read_uncovered(model: FeatureModel, picture: Picture, found: Sequence[Found]) -> list[Candidate]:
    """The same of those that a margin covers in part, which is filled."""
    boxes = margin_over(picture, [one.content.corners for one in found])
    seen = [(one, Uncovered(one.content, box)) for one, box in zip(found, boxes, strict=True) if box]
    return read_seen(model, picture, seen)


def read_seen(model: FeatureModel, picture: Picture, seen: Sequence[tuple[Found, Sight]]) -> list[Candidate]:
    features = look(model, [picture], [sight for _, sight in seen])[0]
    return [aligned(one, feature) for (one, _), feature in zip(seen, features, strict=True)]


def aligned(one: Found, feature: Features) -> Candidate:
    cosine = float(feature @ unit(one.record))
    seen = candidate(one.record, cosine, one.content, feature)
    return replace(seen, view="aligned", corners=one.alignment.corners, alignment=one.alignment)


def unit(record: Record) -> Features:
    """The registered feature at unit length; in the ledger it is rounded to half precision."""
    wide = record.feature.astype(np.float32)
    return wide / np.float32(np.linalg.norm(wide))
