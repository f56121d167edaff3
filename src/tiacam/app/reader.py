"""Reading: the views of a photo against the records of a registry, a step further where the last was not enough."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from tiacam.align import has_few_details
from tiacam.app.aligning import Geometry, read_aligned, read_uncovered, read_without_glare, unit
from tiacam.app.lookup import ALIGNED, ALIGNED_OF_ALL, HASTILY_ALIGNED, Features, Lookup, candidate
from tiacam.app.sights import (
    LOOKS,
    LOOKS_FOR_ALL,
    MOST_LOCATED,
    MOST_OF_ALL,
    MOST_QUADS_OF_ALL,
    VIEWS,
    all_sights,
    find_quads,
    find_single,
    first_sights,
    further_sights,
    inner_sights,
    moved,
    sure,
)
from tiacam.errors import ModelMismatchError, RevokedKeyError, WrongKeyError
from tiacam.image import Picture
from tiacam.locate import MOST_QUADS, Locator, Quad
from tiacam.model import FeatureModel
from tiacam.pipeline import (
    Candidate,
    Claim,
    Sight,
    accepted,
    claims,
    look,
    look_each,
    rank,
    rejected,
)
from tiacam.registry import KeyRing, Record, Registry, fingerprint
from tiacam.watermark import Decision, Verdict

# p-value of the nearest record from which on the whole photo is searched for its landmarks at last.
PROMISING = 1e-2
# Cosine of the nearest record below which landmarks are first looked for in haste, and from which on, after more looks,
# with care, and in every turn: a picture that can be claimed in one turn is as near as this in the others.
FAR, NEAR = 0.2, 0.25
BEYOND_DOUBT = 1e-16  # p-value of a feature that needs no confirmation by details
# Cosine that a claim by the feature alone needs of a picture with almost no details: none of them could disagree, and
# the null, which was measured on photos, knows nothing of clouds and gradients.
BARE_COSINE = 0.8

__all__ = ["VIEWS", "Reader", "check_model"]


@dataclass(frozen=True)
class Glance:
    """A photo, where pictures may be in it, and the first look at the likeliest places."""

    picture: Picture
    quads: list[Quad]
    sights: list[Sight]
    features: Features  # (V, D) of the sights
    hasty: bool  # whether the one picture in it was located in haste


class Reader:
    """Answers photos from one registry: located views, frame and middle, then alignment by landmarks."""

    def __init__(
        self,
        registry: Registry,
        model: FeatureModel,
        ring: KeyRing,
        decision: Decision,
        open_locator: Callable[[], Locator],
    ) -> None:
        self._registry = registry
        self._model = model
        self._ring = ring
        self._decision = decision
        self._open_locator = open_locator

    def read(self, pictures: Sequence[Picture]) -> list[Verdict | WrongKeyError]:
        """One verdict a photo, or the error that its record is somebody else's.

        The time that a verdict states includes its share of the batch.
        """
        check_model(self._registry, self._model)
        start = time.perf_counter()
        glances = self._glance(pictures)
        share = (time.perf_counter() - start) / max(1, len(pictures))
        return [self._answer(glance, share) for glance in glances]

    def read_all(self, picture: Picture) -> list[Verdict]:
        """A verdict for every registered picture that the photo shows, the surest first; none is an answer."""
        return self.explain_all(picture)[0]

    def explain_all(self, picture: Picture) -> tuple[list[Verdict], Lookup]:
        """The same with everything that was compared for them."""
        check_model(self._registry, self._model)
        start = time.perf_counter()
        lookup = self.start_lookup(LOOKS_FOR_ALL)
        best: dict[str, Claim] = {}
        for found in self._claims(lookup, self._glance([picture], every=True)[0], every=True):
            known = best.get(found.candidate.record_id)
            if known is None or found.p_value < known.p_value:
                best[found.candidate.record_id] = found
        milliseconds = 1e3 * (time.perf_counter() - start)
        ranked = sorted(best.values(), key=lambda found: found.p_value)
        return [accepted(found, milliseconds) for found in ranked], lookup

    def explain(self, picture: Picture) -> tuple[Verdict | WrongKeyError, Lookup]:
        """The verdict on a photo with everything that was compared for it."""
        check_model(self._registry, self._model)
        start, lookup = time.perf_counter(), self.start_lookup()
        glance = self._glance([picture])[0]
        return self._answer(glance, time.perf_counter() - start, lookup), lookup

    def verify(self, picture: Picture, record: Record) -> Verdict:
        """The verdict on one named record: only the looks count as trials."""
        self._check_record(record)
        start = time.perf_counter()
        sights = all_sights(picture, self._open_locator())
        features = look(self._model, [picture], sights)[0]  # (V, D)
        cosines = features @ unit(record)
        seen = [
            candidate(record, float(cosine), sight, feature)
            for cosine, sight, feature in zip(cosines, sights, features, strict=True)
        ]
        geometry = Geometry(picture)
        candidates = [*rank(seen), *read_aligned(self._model, picture, geometry.find([record]))]
        passing = claims(candidates, self._ring.head_secret, self._decision, LOOKS)
        found = next((one for one in passing if not doubtful(one, record.landmarks, geometry)), None)
        milliseconds = 1e3 * (time.perf_counter() - start)
        if found:
            return accepted(found, milliseconds)
        return rejected(max(one.cosine for one in candidates), self._decision, LOOKS, milliseconds)

    def start_lookup(self, looks: int = LOOKS) -> Lookup:
        return Lookup(self._registry, self._ring, self._model.id, looks)

    def _glance(self, pictures: Sequence[Picture], *, every: bool = False) -> list[Glance]:
        """The first look at each of some photos, all in one batch; nothing is looked for in an empty registry."""
        places, hasty = self._places(pictures, every=every)
        most = MOST_OF_ALL if every else MOST_LOCATED
        looks = [first_sights(*one, most=most) for one in zip(pictures, places, strict=True)]
        pairs = [(picture, sight) for picture, some in zip(pictures, looks, strict=True) for sight in some]
        features = look_each(self._model, pairs)  # (N, D)
        ends = np.cumsum([len(some) for some in looks])[:-1]
        shared = np.split(features, ends) if pictures else []
        return [Glance(*one) for one in zip(pictures, places, looks, shared, hasty, strict=True)]

    def _places(self, pictures: Sequence[Picture], *, every: bool) -> tuple[list[list[Quad]], list[bool]]:
        """Where pictures may be in each of some photos, and whether that was found in haste.

        Most photos show one picture, and large. The others, and all of which `every` picture is wanted, are searched
        with care.
        """
        if not self._registry.models().get(self._model.id):
            return [[] for _ in pictures], [False for _ in pictures]
        locator = self._open_locator()
        single = [None for _ in pictures] if every else find_single(pictures, locator)
        rest = [picture for picture, quad in zip(pictures, single, strict=True) if quad is None]
        careful = iter(find_quads(rest, locator, limit=MOST_QUADS_OF_ALL if every else MOST_QUADS))
        return [[quad] if quad else next(careful) for quad in single], [quad is not None for quad in single]

    def _answer(self, glance: Glance, share: float, lookup: Lookup | None = None) -> Verdict | WrongKeyError:
        start = time.perf_counter() - share
        lookup = lookup or self.start_lookup()
        found = next(self._claims(lookup, glance), None)
        milliseconds = 1e3 * (time.perf_counter() - start)
        if found:
            return accepted(found, milliseconds)
        return self._foreign(lookup) or rejected(lookup.cosine, self._decision, lookup.trials, milliseconds)

    def _claims(self, lookup: Lookup, glance: Glance, *, every: bool = False) -> Iterator[Claim]:
        """What can be claimed of a photo, found step by step: whoever takes only the first pays only for that."""
        picture, cleared = glance.picture, set[str]()

        def judge(candidates: Sequence[Candidate]) -> Iterator[Claim]:
            passing = claims(candidates, self._ring.head_secret, self._decision, lookup.trials)
            return (one for one in passing if not doubtful(one, landmarks_of(one), geometry))

        def landmarks_of(claim: Claim) -> bytes:
            return lookup.open(claim.candidate.record_id).landmarks

        def look_at(sights: Sequence[Sight]) -> Iterator[Claim]:
            return judge(rank(lookup.compare(sights, look(self._model, [picture], sights)[0])))

        def align(shown: Geometry) -> Iterator[Claim]:
            if came_near():
                shown.look_closer()
            nearest = lookup.ranked(HASTILY_ALIGNED if shown.hasty else ALIGNED_OF_ALL if every else ALIGNED)
            found = shown.find(nearest, every=every)
            for one in judge(read_aligned(self._model, picture, found)):
                cleared.add(one.candidate.record_id)
                yield one
            # A record whose landmarks agree and whose message does not open may be hidden: once for each.
            for read_hidden in (read_without_glare, read_uncovered):
                hidden = [one for one in found if one.record.id not in cleared]
                for one in judge(read_hidden(self._model, picture, hidden)):
                    cleared.add(one.candidate.record_id)
                    yield one
            cleared.update(one.record.id for one in found)

        def came_near() -> bool:
            return lookup.cosine >= NEAR

        first = rank(lookup.compare(glance.sights, glance.features))
        # Whoever wants every picture has the whole photo searched, for the locator may have been sure of some only.
        geometry = Geometry(
            picture, () if every else sure(glance.quads), hasty=not every and lookup.cosine < FAR
        )
        yield from judge(first)
        if not lookup.trials:
            return
        quads = glance.quads
        if sure(quads):
            yield from align(geometry)
        if glance.hasty:
            (quads,) = find_quads([picture], self._open_locator())
            if moved(quads, glance.quads):
                geometry = Geometry(picture, sure(quads), hasty=lookup.cosine < FAR)
        near, most = every or came_near(), MOST_OF_ALL if every else MOST_LOCATED
        for sights in further_sights(picture, quads, glance.sights, near=near, most=most):
            yield from look_at(sights)
        yield from align(geometry)
        if geometry.is_part and came_near():
            yield from align(Geometry(picture, sure(quads), evened=True))
        if inner := inner_sights(picture, quads, self._open_locator()):
            yield from look_at(inner)
            yield from align(geometry if every else Geometry(picture, inner, hasty=True))
        if not every and self._promises(lookup):
            yield from align(Geometry(picture))

    def _promises(self, lookup: Lookup) -> bool:
        """Whether a record came nearer than chance makes likely, though not near enough to be claimed."""
        return self._decision.p_value(lookup.cosine, lookup.trials) < PROMISING

    def _foreign(self, lookup: Lookup) -> WrongKeyError | None:
        """The error to give where the photo shows the picture of a record that is another owner's or was revoked."""
        near = [record for cosine, record in lookup.foreign if self._decision.accepts(cosine, lookup.trials)]
        return self._refusal(near[0], lookup) if near else None

    def _refusal(self, record: Record, lookup: Lookup) -> WrongKeyError | None:
        """Why a record cannot be claimed, and what helps; None for one that can be."""
        owner = fingerprint(record.owner)
        if lookup.is_revoked(record):
            return RevokedKeyError(
                f"record {record.id} does not count: its key {owner} was taken back (`tiacam keys`)"
            )
        if record.owner in self._ring:
            return None
        followed = self._ring.key.public in lookup.history.successors(record.owner)
        advice = (
            "this key followed that one, name the old key's file too (--key NEW --key OLD)"
            if followed
            else "its message can only be read with its owner's key (--key FILE)"
        )
        own = self._ring.key.fingerprint
        return WrongKeyError(f"record {record.id} belongs to the key {owner}, this is {own}: {advice}")

    def _check_record(self, record: Record) -> None:
        if record.model != self._model.id:
            raise ModelMismatchError(
                f"record {record.id} was made with {record.model}, this is {self._model.id}"
            )
        if refusal := self._refusal(record, self.start_lookup()):
            raise refusal


def doubtful(found: Claim, landmarks: bytes, geometry: Geometry) -> bool:
    """Whether a claim by the feature alone is contradicted by the details, or by want of them not near enough."""
    if found.candidate.alignment is not None:
        return False
    if has_few_details(landmarks):
        return found.candidate.cosine < BARE_COSINE
    return found.p_value >= BEYOND_DOUBT and geometry.contradicts(landmarks, found.candidate.corners)


def check_model(registry: Registry, model: FeatureModel) -> None:
    """Refuse a registry with records of another model: their features cannot be compared with this one's."""
    others = {name: count for name, count in registry.models().items() if name != model.id}
    if others:
        listed = ", ".join(f"{count} with {name}" for name, count in others.items())
        raise ModelMismatchError(
            f"this registry has records made with another model ({listed}), this is {model.id}: "
            "open it with that model, or use another registry"
        )
