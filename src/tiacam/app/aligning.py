"""Aligning: the nearest records' landmarks are looked for in the photo, and the picture is cut out where they are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from tiacam.align import Alignment, Landmarks, align, find_keypoints
from tiacam.app.lookup import Features, candidate
from tiacam.image import Picture
from tiacam.locate import Quad
from tiacam.locate.rectify import is_convex
from tiacam.model import FeatureModel
from tiacam.pipeline import Candidate, look
from tiacam.registry import Record

PHOTO_SIDE, PHOTO_KEYPOINTS = 512, 1000
WORTH_READING = 1e-2  # p-value of an alignment from which on the message is tried
CERTAIN = 1e-9  # p-value of an alignment after which no other record is looked for


@dataclass(frozen=True)
class Found:
    """A record whose landmarks agree on a place in the photo."""

    record: Record
    alignment: Alignment
    content: Quad  # the picture without its margin


def align_records(picture: Picture, records: Sequence[Record], *, every: bool = False) -> list[Found]:
    """The records that the photo shows by their landmarks, the surest first; with `every`, all that it shows."""
    if not any(record.landmarks for record in records):
        return []
    photo = find_keypoints(picture, PHOTO_SIDE, PHOTO_KEYPOINTS)
    found: list[Found] = []
    for record in records:
        landmarks = Landmarks.unpack(record.landmarks) if record.landmarks else None
        alignment = align(landmarks, photo) if landmarks else None
        if landmarks is None or alignment is None or alignment.p_value > WORTH_READING:
            continue
        place = content_of(alignment, landmarks)
        if is_convex(np.array(place.corners)):
            found.append(Found(record, alignment, place))
        if alignment.p_value < CERTAIN and not every:
            break
    return sorted(found, key=lambda one: one.alignment.p_value)


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
