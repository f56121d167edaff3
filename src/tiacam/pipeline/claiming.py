"""From candidates to a claim: each candidate's mark is read, and the first reading that passes the test is claimed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tiacam.align import Alignment
from tiacam.watermark import Corners, Decision, KeyedHead, Mark, Message, Reading, Verdict

# Below this cosine of the whitened features the code decodes less than one in a hundred (results/codes.json), and no
# such reading would be accepted: trying would only cost time.
LEAST_COSINE = 0.25
# Equal features give cosines that differ in the last digits, because sums are rounded in another order.
SAME_COSINE = 1e-3

SecretOf = Callable[[bytes], bytes]  # an owner's public key → what opens the records of that key


@dataclass(frozen=True)
class Candidate:
    """A record that a view of the photo may show."""

    record_id: str
    created_at: str
    mark: Mark
    cosine: float
    view: str
    feature: NDArray[np.float32]  # of the view
    corners: Corners | None = None  # of the view in the photo
    owner: bytes = b""  # the public key that the record is signed with
    alignment: Alignment | None = None  # where the record's landmarks were found to agree on the view


@dataclass(frozen=True)
class Claim:
    """A reading that passed: the message is the one that was registered."""

    candidate: Candidate
    reading: Reading
    message: Message
    p_value: float


def rank(candidates: Iterable[Candidate]) -> list[Candidate]:
    """The nearest first; of equally near ones the oldest, because who registered first is the evidence."""
    groups: list[list[Candidate]] = []
    for candidate in sorted(candidates, key=lambda candidate: -candidate.cosine):
        if groups and groups[-1][0].cosine - candidate.cosine < SAME_COSINE:
            groups[-1].append(candidate)
        else:
            groups.append([candidate])
    return [
        candidate
        for group in groups
        for candidate in sorted(group, key=lambda candidate: candidate.created_at)
    ]


def claim(
    candidates: Iterable[Candidate], secret_of: SecretOf, decision: Decision, trials: int
) -> Claim | None:
    """The first candidate, in the order given, whose message opens and whose agreement is no coincidence."""
    return next(claims(candidates, secret_of, decision, trials), None)


def claims(
    candidates: Iterable[Candidate], secret_of: SecretOf, decision: Decision, trials: int
) -> Iterator[Claim]:
    """Every candidate that passes, in the order given; of each record the first."""
    head, done = KeyedHead(), set[str]()
    for candidate in candidates:
        if candidate.cosine < LEAST_COSINE or candidate.record_id in done:
            continue
        reading = head.read(candidate.feature, candidate.mark, secret_of(candidate.owner))
        if reading.message is None:
            continue
        p_value = judge(candidate, reading, decision, trials)
        if p_value <= decision.false_claim_rate:
            done.add(candidate.record_id)
            yield Claim(candidate, reading, reading.message, p_value)


def judge(candidate: Candidate, reading: Reading, decision: Decision, trials: int) -> float:
    """How likely an unrelated picture reads so; landmarks that agree are evidence of their own."""
    if candidate.alignment is None:
        return decision.p_value(reading.correlation, trials)
    return decision.joint_p_value(reading.correlation, candidate.alignment.p_value, trials)


def accepted(found: Claim, milliseconds: float) -> Verdict:
    """The verdict on a photo of a registered picture."""
    return Verdict(
        registered=True,
        record_id=found.candidate.record_id,
        message=found.message,
        agreeing=found.reading.agreeing,
        compared=found.reading.compared,
        p_value=found.p_value,
        cosine=found.candidate.cosine,
        view=found.candidate.view,
        milliseconds=milliseconds,
        corners=found.candidate.corners,
        inliers=found.candidate.alignment.inliers if found.candidate.alignment else 0,
    )


def rejected(cosine: float, decision: Decision, trials: int, milliseconds: float) -> Verdict:
    """The verdict "not registered"; its p-value is that of the nearest record."""
    return Verdict(
        registered=False,
        record_id=None,
        message=None,
        agreeing=0,
        compared=0,
        p_value=decision.p_value(cosine, trials) if trials else 1.0,
        cosine=cosine,
        view=None,
        milliseconds=milliseconds,
    )
