"""Aligning: the nearest records' landmarks are looked for in the photo, and the picture is cut out where they are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from tiacam.align import Alignment, Keypoints, Landmarks, align, find_keypoints
from tiacam.app.lookup import Features, candidate
from tiacam.image import Picture
from tiacam.locate import Quad
from tiacam.locate.rectify import is_convex
from tiacam.model import FeatureModel
from tiacam.pipeline import Candidate, look
from tiacam.registry import Record
from tiacam.watermark import Corners

PHOTO_SIDE, PHOTO_KEYPOINTS = 512, 1000
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
    """The keypoints of one photo, found when first needed, and what records make of them."""

    def __init__(self, picture: Picture) -> None:
        self._picture = picture
        self._tried: set[str] = set()

    @cached_property
    def keypoints(self) -> Keypoints:
        return find_keypoints(self._picture, PHOTO_SIDE, PHOTO_KEYPOINTS, spread=True)

    def find(self, records: Sequence[Record], *, every: bool = False) -> list[Found]:
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
        known = Landmarks.unpack(landmarks) if landmarks else ()
        if not known or len(known) < RICH_PICTURE:
            return False
        return self._details_in(place) >= RICH_PLACE and self._fit(known) is None

    def _fit(self, landmarks: Landmarks) -> tuple[Alignment, Quad] | None:
        alignment = align(landmarks, self.keypoints)
        if alignment is None or alignment.p_value > WORTH_READING:
            return None
        content = content_of(alignment, landmarks)
        return (alignment, content) if is_convex(np.array(content.corners)) else None

    def _details_in(self, place: Corners | None) -> int:
        """How many of the strongest keypoints lie in a part of the photo; None is all of it.

        The others would not do: noise has weak keypoints everywhere, and they agree with nothing.
        """
        strongest = self.keypoints.strongest
        if place is None:
            return len(strongest)
        corners = np.array(place)
        sides = np.roll(corners, -1, axis=0) - corners  # (4, 2)
        away = strongest[:, None] - corners  # (N, 4, 2)
        turns = sides[:, 0] * away[..., 1] - sides[:, 1] * away[..., 0]  # (N, 4)
        return int(((turns >= 0).all(axis=1) | (turns <= 0).all(axis=1)).sum())


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
