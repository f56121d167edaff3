"""Reading: the views of a photo against the records of a registry, in two stages."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from tiacam.errors import ModelMismatchError, WrongKeyError
from tiacam.image import Picture
from tiacam.locate import CENTRES, WHOLE, View
from tiacam.model import FeatureModel
from tiacam.pipeline import LEAST_COSINE, Candidate, Claim, accepted, claim, look, rank, rejected
from tiacam.registry import OwnerKey, Record, Registry, fingerprint
from tiacam.watermark import Decision, Verdict

VIEWS = (WHOLE, *CENTRES)
NEAREST = 5  # own records tried for each view
LOOKED_AT = 50  # so many neighbours are asked for, lest copies by other owners crowd out one's own

Features = NDArray[np.float32]


@dataclass
class Lookup:
    """One photo's look-up as it goes on: how much was compared, and what came nearest."""

    trials: int = 0
    cosine: float = 0.0
    foreign: list[tuple[float, Record]] = field(default_factory=list)  # near records of other owners


class Reader:
    """Answers photos from one registry; the whole frame first, further views only if that is not enough."""

    def __init__(self, registry: Registry, model: FeatureModel, key: OwnerKey, decision: Decision) -> None:
        self._registry = registry
        self._model = model
        self._key = key
        self._decision = decision

    def read(self, pictures: Sequence[Picture]) -> list[Verdict | WrongKeyError]:
        """One verdict a photo, or the error that its record is somebody else's.

        The time that a verdict states includes its share of the batch.
        """
        check_model(self._registry, self._model)
        start = time.perf_counter()
        whole = look(self._model, pictures, [WHOLE])  # (P, 1, D)
        share = (time.perf_counter() - start) / max(1, len(pictures))
        return [
            self._answer(picture, features, share) for picture, features in zip(pictures, whole, strict=True)
        ]

    def verify(self, picture: Picture, record: Record) -> Verdict:
        """The verdict on one named record: only its views count as trials."""
        self._check_record(record)
        start = time.perf_counter()
        features = look(self._model, [picture], VIEWS)[0]  # (V, D)
        cosines = features @ unit(record.feature)
        candidates = [
            _candidate(record, float(cosine), view, feature)
            for cosine, view, feature in zip(cosines, VIEWS, features, strict=True)
        ]
        found = claim(rank(candidates), self._key.head_secret, self._decision, len(VIEWS))
        milliseconds = 1e3 * (time.perf_counter() - start)
        if found:
            return accepted(found, milliseconds)
        return rejected(float(cosines.max()), self._decision, len(VIEWS), milliseconds)

    def _answer(self, picture: Picture, whole: Features, share: float) -> Verdict | WrongKeyError:
        start = time.perf_counter() - share
        lookup = Lookup()
        found = self._search(lookup, whole, [WHOLE])
        if found is None and lookup.trials:
            found = self._search(lookup, look(self._model, [picture], CENTRES)[0], CENTRES)
        milliseconds = 1e3 * (time.perf_counter() - start)
        if found:
            return accepted(found, milliseconds)
        return self._foreign(lookup) or rejected(lookup.cosine, self._decision, lookup.trials, milliseconds)

    def _search(self, lookup: Lookup, features: Features, views: Sequence[View]) -> Claim | None:
        """Compare some views with the whole registry; every record and every view is a trial.

        Views that were not needed count too: that they were not needed depends on how the others came out.
        """
        neighbours = self._registry.find_many(features, LOOKED_AT, self._model.id)
        lookup.trials = len(VIEWS) * self._registry.models().get(self._model.id, 0)
        candidates: list[Candidate] = []
        for view, feature, near in zip(views, features, neighbours, strict=True):
            own = 0
            for neighbour in near:
                lookup.cosine = max(lookup.cosine, neighbour.cosine)
                if neighbour.cosine < LEAST_COSINE or own == NEAREST:
                    break
                record = self._registry.get(neighbour.record_id)
                if record.owner == self._key.public:
                    candidates.append(_candidate(record, neighbour.cosine, view, feature))
                    own += 1
                else:
                    lookup.foreign.append((neighbour.cosine, record))
        return claim(rank(candidates), self._key.head_secret, self._decision, lookup.trials)

    def _foreign(self, lookup: Lookup) -> WrongKeyError | None:
        """The error to give where the photo shows the picture of another owner's record."""
        near = [record for cosine, record in lookup.foreign if self._decision.accepts(cosine, lookup.trials)]
        return WrongKeyError(_foreign_text(near[0], self._key)) if near else None

    def _check_record(self, record: Record) -> None:
        if record.model != self._model.id:
            raise ModelMismatchError(
                f"record {record.id} was made with {record.model}, this is {self._model.id}"
            )
        if record.owner != self._key.public:
            raise WrongKeyError(_foreign_text(record, self._key))


def check_model(registry: Registry, model: FeatureModel) -> None:
    """Refuse a registry with records of another model: their features cannot be compared with this one's."""
    others = {name: count for name, count in registry.models().items() if name != model.id}
    if others:
        listed = ", ".join(f"{count} with {name}" for name, count in others.items())
        raise ModelMismatchError(
            f"this registry has records made with another model ({listed}), this is {model.id}: "
            "open it with that model, or use another registry"
        )


def unit(feature: NDArray[np.float16]) -> Features:
    wide = feature.astype(np.float32)
    return wide / np.float32(np.linalg.norm(wide))


def _candidate(record: Record, cosine: float, view: View, feature: Features) -> Candidate:
    return Candidate(record.id, record.created_at, record.mark, cosine, view.name, feature)


def _foreign_text(record: Record, key: OwnerKey) -> str:
    return (
        f"record {record.id} belongs to the key {fingerprint(record.owner)}, this is {key.fingerprint}: "
        "its message can only be read with its owner's key (--key FILE)"
    )
