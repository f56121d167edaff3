"""One photo's look-up: what was compared so far, what came nearest, and what can be claimed of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from tiacam.app.sights import LOOKS, corners_of
from tiacam.pipeline import LEAST_COSINE, Candidate, Sight
from tiacam.registry import KeyHistory, KeyRing, Record, Registry

NEAREST = 5  # own records tried for each view
LOOKED_AT = 50  # so many neighbours are asked for, lest copies by other owners crowd out one's own
# Own records, nearest first, whose landmarks are looked for in the photo. Of 163 captures that were claimed by them the
# record was the nearest in 162, in one the fourth.
ALIGNED, HASTILY_ALIGNED, ALIGNED_OF_ALL = 8, 4, 16

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
    looks: int = LOOKS  # that every record counts for
    trials: int = 0
    cosine: float = 0.0
    foreign: list[tuple[float, Record]] = field(default_factory=list)  # near ones that cannot be claimed
    near: dict[str, float] = field(default_factory=dict)  # records by their ids, and their best cosine
    seen: list[Seen] = field(default_factory=list)
    opened: dict[str, Record] = field(default_factory=dict)

    def compare(self, sights: Sequence[Sight], features: Features) -> list[Candidate]:
        """Search some views in the whole registry; every record and every look is a trial."""
        self.trials = self.looks * self.registry.models().get(self.model, 0)
        neighbours = self.registry.find_many(features, LOOKED_AT, self.model)
        candidates: list[Candidate] = []
        for sight, feature, found in zip(sights, features, neighbours, strict=True):
            self.seen.append(Seen(sight, tuple((one.record_id, one.cosine) for one in found[:NEAREST])))
            for neighbour in found:
                self.cosine = max(self.cosine, neighbour.cosine)
                self.near[neighbour.record_id] = max(
                    neighbour.cosine, self.near.get(neighbour.record_id, -1.0)
                )
            near = [(one.record_id, one.cosine) for one in found if one.cosine >= LEAST_COSINE]
            candidates += [
                candidate(record, cosine, sight, feature)
                for record, cosine in islice(self.claimable(near), NEAREST)
            ]
        return candidates

    def claimable(self, near: Iterable[tuple[str, float]]) -> Iterator[tuple[Record, float]]:
        """Those of some records that can be claimed; the others are noted. None is opened before it is asked for.

        Opening a record means checking its signature, which costs more than comparing it.
        """
        for record_id, cosine in near:
            record = self.open(record_id)
            if record.owner in self.ring and not self.is_revoked(record):
                yield record, cosine
            else:
                self.foreign.append((cosine, record))

    def open(self, record_id: str) -> Record:
        """The record, its signature checked; once for each photo."""
        if record_id not in self.opened:
            self.opened[record_id] = self.registry.get(record_id)
        return self.opened[record_id]

    @cached_property
    def history(self) -> KeyHistory:
        """What became of keys, read once for each photo."""
        return self.registry.log.history()

    def is_revoked(self, record: Record) -> bool:
        """Whether the record does not count, because its key was taken back from before it on."""
        return self.registry.log.is_revoked(record.id, record.owner, self.history)

    def best(self) -> list[Record]:
        """The own records that came nearest to any view."""
        return list(self.ranked())

    def ranked(self, count: int = ALIGNED) -> Iterator[Record]:
        """The same, each opened when it is asked for."""
        order = sorted(self.near.items(), key=lambda item: -item[1])
        return (record for record, _ in islice(self.claimable(order), count))


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
