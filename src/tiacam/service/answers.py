"""The forms of the answers, as the OpenAPI document shows them."""

from __future__ import annotations

import math

from pydantic import BaseModel, Field

from tiacam.align import has_few_details
from tiacam.registry import Record, fingerprint
from tiacam.watermark import Verdict

CERTAIN = 1e-12
LARGEST_EXPONENT = 15  # no measurement stands behind rarer events, so none is stated


class Confidence(BaseModel):
    """How sure a claim is, for people: in words and as a chance."""

    words: str = Field(examples=["certain"])
    false_claim: str = Field(
        description="How rarely an unrelated picture gives this reading.", examples=["less than 1 in 10¹²"]
    )


class VerdictAnswer(BaseModel):
    """What a photo shows. `registered: false` is an answer, not an error."""

    registered: bool
    id: str | None = Field(description="The record of the registered picture.")
    text: str | None = Field(description="The message, where it was registered as text.")
    hex: str | None = Field(description="The message in hexadecimal.")
    bits: int | None = Field(description="The length of the message.")
    note: str | None = Field(description="The record's note.")
    created_at: str | None = Field(description="When the picture was registered.")
    p_value: float = Field(
        description="Probability that an unrelated picture gives this reading, all trials counted."
    )
    confidence: Confidence
    cosine: float = Field(description="Similarity to the nearest record.")
    view: str | None = Field(description="Which part of the photo it was read from.")
    corners: list[list[float]] | None = Field(
        description="Where the picture is in the photo: four corners [x, y] in fractions of its width and height."
    )
    manifest_id: str | None = Field(description="The C2PA manifest that the record carries.")
    ms: float = Field(description="Time spent on the photo.")


class RecordAnswer(BaseModel):
    """The public part of a record: what it says without its picture's feature."""

    id: str
    created_at: str
    model: str
    bits: int
    note: str
    media_type: str | None
    sha256: str | None = Field(description="Of the registered file, in hexadecimal.")
    owner: str = Field(description="Fingerprint of the owner's key.")
    hash: str = Field(description="What the ledger's chain and its tree hold of this record, in hexadecimal.")
    manifest_id: str | None
    few_details: bool = Field(
        description="The picture has almost no details: others with as little in them can be claimed for it."
    )


class RecordPage(BaseModel):
    """Some records in the order of the ledger; `next` continues after them."""

    records: list[RecordAnswer]
    next: str | None


class Registered(BaseModel):
    """The acknowledgement: when it is sent, the record is on disk."""

    record: RecordAnswer
    repeated: bool = Field(
        description="True where this request had been done before: there is still one record."
    )


def verdict_answer(verdict: Verdict, record: Record | None, manifest_id: str | None) -> VerdictAnswer:
    message = verdict.message
    return VerdictAnswer(
        registered=verdict.registered,
        id=verdict.record_id,
        text=message.text if message else None,
        hex=message.hex if message else None,
        bits=message.length if message else None,
        note=record.note if record else None,
        created_at=record.created_at if record else None,
        p_value=verdict.p_value,
        confidence=confidence(verdict),
        cosine=round(verdict.cosine, 4),
        view=verdict.view,
        corners=corners_of(verdict),
        manifest_id=manifest_id,
        ms=round(verdict.milliseconds, 1),
    )


def corners_of(verdict: Verdict) -> list[list[float]] | None:
    return None if verdict.corners is None else [[float(x), float(y)] for x, y in verdict.corners]


def confidence(verdict: Verdict) -> Confidence:
    if not verdict.registered:
        return Confidence(words="no claim", false_claim="nothing is claimed")
    words = "certain" if verdict.p_value <= CERTAIN else "very sure"
    return Confidence(words=words, false_claim=chance(verdict.p_value))


def chance(p_value: float) -> str:
    """`less than 1 in 10⁹`: the power of ten that is still safe."""
    exponent = min(LARGEST_EXPONENT, math.floor(-math.log10(max(p_value, 1e-300))))
    return f"less than 1 in 10{str(exponent).translate(str.maketrans('0123456789', '⁰¹²³⁴⁵⁶⁷⁸⁹'))}"


def record_answer(record: Record, manifest_id: str | None) -> RecordAnswer:
    return RecordAnswer(
        id=record.id,
        created_at=record.created_at,
        model=record.model,
        bits=record.bits,
        note=record.note,
        media_type=record.media_type,
        sha256=record.sha256,
        owner=fingerprint(record.owner),
        hash=record.hash.hex(),
        manifest_id=manifest_id,
        few_details=has_few_details(record.landmarks),
    )
