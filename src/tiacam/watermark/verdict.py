"""What reading a photo answers."""

from __future__ import annotations

from dataclasses import dataclass

from tiacam.watermark.message import Message

Corners = tuple[tuple[float, float], tuple[float, float], tuple[float, float], tuple[float, float]]


@dataclass(frozen=True)
class Reading:
    """What a head read from one feature for one record. `message` is None where nothing was recovered."""

    message: Message | None
    correlation: float = 0.0  # of the feature with the one that was registered, as far as the mark tells
    agreeing: int = 0  # directions whose sign agrees with the registered one
    compared: int = 0


@dataclass(frozen=True)
class Verdict:
    """The answer to a photo: registered or not, and how sure. "Not registered" is an answer, not an error."""

    registered: bool
    record_id: str | None
    message: Message | None
    agreeing: int
    compared: int
    p_value: float  # that an unrelated picture gives this reading, all candidates and views counted
    cosine: float  # between the photo's feature and the nearest (or the named) record's
    view: str | None  # which part of the photo it was read from
    milliseconds: float
    corners: Corners | None = (
        None  # of the picture in the photo, in fractions of it, the picture's top left first
    )
    inliers: int = (
        0  # landmarks of the record that the photo shows where they belong; 0 where none were needed
    )
