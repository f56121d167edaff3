"""The soft binding of a picture: its feature under the name of its model, as C2PA exchanges it.

Algorithm `org.tiacam.MODEL` (not in C2PA's list of algorithms), kind fingerprint. The value is the whitened unit
feature that is registered for the picture, as little-endian fp16, base64 where text is wanted. It says no more than the
picture itself: nothing of the message, nothing of the key.
"""

from __future__ import annotations

import base64
import binascii
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tiacam.app import Tiacam
from tiacam.app.sights import LOOKS, all_sights
from tiacam.errors import RequestError
from tiacam.image import Picture
from tiacam.locate import default_locator
from tiacam.model import FeatureModel
from tiacam.pipeline import look
from tiacam.registry import Record

PREFIX = "org.tiacam."
WIRE = np.dtype("<f2")
MOST_MATCHES = 100
LOOKED_AT = 50  # records without a manifest may be nearer than those with one

Features = NDArray[np.float32]


@dataclass(frozen=True)
class Match:
    """A record that is near enough to be claimed; the score is 100 times the cosine."""

    record: Record
    score: int


def algorithm_of(model: FeatureModel) -> str:
    return PREFIX + model.card.name


def encode_feature(feature: Features) -> bytes:
    return np.asarray(feature, WIRE).tobytes()


def decode_value(model: FeatureModel, alg: str, value: str) -> Features:
    """The feature (1, D) in a query, or a refusal that says what is wrong with it."""
    if alg != algorithm_of(model):
        raise RequestError(
            f"the algorithm {alg[:80]!r} is not supported, this service has {algorithm_of(model)!r}"
        )
    try:
        data = base64.b64decode(value.replace(" ", "+"), validate=True)  # an unescaped + arrives as a space
    except (binascii.Error, ValueError) as error:
        raise RequestError(f"the value is not base64: {error}") from error
    width = model.card.feature_width
    if len(data) != width * WIRE.itemsize:
        raise RequestError(f"the value has {len(data)} bytes, {alg} has {width * WIRE.itemsize}")
    feature = np.frombuffer(data, WIRE).astype(np.float32)
    length = float(np.linalg.norm(feature))
    if not 0 < length < np.inf:
        raise RequestError("the value is no direction: not finite, or all zero")
    return (feature / length)[np.newaxis]


def names_record(tiacam: Tiacam, alg: str, value: bytes, record: Record) -> bool:
    """Whether a soft binding is of the record's own picture: else somebody put another picture's manifest beside it."""
    try:
        feature = decode_value(tiacam.model, alg, base64.b64encode(value).decode())[0]
    except RequestError:
        return False
    stored = record.feature.astype(np.float32)
    return tiacam.decision.accepts(float(feature @ stored / np.linalg.norm(stored)))


def features_of(tiacam: Tiacam, picture: Picture) -> Features:
    """One feature for each look at the photo (V, D): the frame, what is located in it, the middle."""
    sights = all_sights(picture, default_locator())
    features: Features = look(tiacam.model, [picture], sights)[0]
    return features


def find_matches(tiacam: Tiacam, features: Features, most: int) -> list[Match]:
    """Records of any owner near enough to one of the features, nearest first; none whose key was taken back.

    The test is the one of reading, at the same false-claim rate, on the stored feature instead of the keyed signs:
    whoever resolves a manifest needs no key.
    """
    most = min(most, MOST_MATCHES)
    trials = (1 if len(features) == 1 else LOOKS) * tiacam.registry.models().get(tiacam.model.id, 0)
    best: dict[str, float] = {}
    for near in tiacam.registry.find_many(features, most + LOOKED_AT, tiacam.model.id):
        for neighbour in near:
            best[neighbour.record_id] = max(neighbour.cosine, best.get(neighbour.record_id, -1.0))
    accepted = [(cosine, name) for name, cosine in best.items() if tiacam.decision.accepts(cosine, trials)]
    ranked = sorted(accepted, key=lambda pair: -pair[0])
    matches = [Match(tiacam.registry.get(name), round(100 * min(1.0, cosine))) for cosine, name in ranked]
    log = tiacam.registry.log
    history = log.history()
    return [match for match in matches if not log.is_revoked(match.record.id, match.record.owner, history)]
