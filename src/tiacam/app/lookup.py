"""One photo's look-up: what was compared so far, what came nearest, and what can be claimed of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tiacam.app.sights import LOOKS, corners_of
from tiacam.pipeline import LEAST_COSINE, Candidate, Sight
from tiacam.registry import KeyHistory, KeyRing, Record, Registry

NEAREST = 5  # own records tried for each view
LOOKED_AT = 50  # so many neighbours are asked for, lest copies by other owners crowd out one's own
ALIGNED = 20  # own records, nearest first, whose landmarks are looked for in the photo

Features = NDArray[np.float32]


@dataclass(frozen=True)
class Seen:
    """One view and the records nearest to it, for explaining a verdict."""

    sight: Sight
    nearest: tuple[tuple[str, float], ...]  # (record id, cosine)


@dataclass
class Lookup:
    """Grows with every further look."""

    registry: Registry
    ring: KeyRing
    model: str
    trials: int = 0
    cosine: float = 0.0
    foreign: list[tuple[float, Record]] = field(default_factory=list)  # near ones that cannot be claimed
    near: dict[str, tuple[float, Record]] = field(default_factory=dict)  # own records and their best cosine
    seen: list[Seen] = field(default_factory=list)

    def compare(self, sights: Sequence[Sight], features: Features) -> list[Candidate]:
        """Search some views in the whole registry; every record and every look is a trial."""
        self.trials = LOOKS * self.registry.models().get(self.model, 0)
        neighbours = self.registry.find_many(features, LOOKED_AT, self.model)
        candidates: list[Candidate] = []
        for sight, feature, found in zip(sights, features, neighbours, strict=True):
            self.seen.append(Seen(sight, tuple((one.record_id, one.cosine) for one in found[:NEAREST])))
            own = 0
            for neighbour in found:
                self.cosine = max(self.cosine, neighbour.cosine)
                if own == ALIGNED:
                    break
                record = self.registry.get(neighbour.record_id)
                if record.owner not in self.ring or self.is_revoked(record):
                    self.foreign.append((neighbour.cosine, record))
                    continue
                own += 1
                self.note(neighbour.cosine, record)
                if own <= NEAREST and neighbour.cosine >= LEAST_COSINE:
                    candidates.append(candidate(record, neighbour.cosine, sight, feature))
        return candidates

    @cached_property
    def history(self) -> KeyHistory:
        """What became of keys, read once for each photo."""
        return self.registry.log.history()

    def is_revoked(self, record: Record) -> bool:
        """Whether the record does not count, because its key was taken back from before it on."""
        return self.registry.log.is_revoked(record.id, record.owner, self.history)

    def note(self, cosine: float, record: Record) -> None:
        known = self.near.get(record.id)
        if known is None or known[0] < cosine:
            self.near[record.id] = cosine, record

    def best(self, without: Iterable[str] = ()) -> list[Record]:
        """The own records that came nearest to any view."""
        skip = set(without)
        ranked = sorted(self.near.values(), key=lambda pair: -pair[0])
        return [record for _, record in ranked if record.id not in skip][:ALIGNED]


def candidate(record: Record, cosine: float, sight: Sight, feature: Features) -> Candidate:
    return Candidate(
        record.id,
        record.created_at,
        record.mark,
        cosine,
        sight.name,
        feature,
        corners_of(sight),
        record.owner,
    )
