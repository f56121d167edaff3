"""From candidates to a claim: the right order, the seal and the test together."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from tiacam.pipeline import LEAST_COSINE, Candidate, accepted, claim, rank, rejected
from tiacam.watermark import Decision, KeyedHead, Message

SECRET = bytes(32)
DECISION = Decision(512)
RNG = np.random.default_rng(1)


def draw_feature() -> NDArray[np.float32]:
    vector = RNG.standard_normal(512)
    return (vector / np.linalg.norm(vector)).astype(np.float32)


FEATURE = draw_feature()


def candidate(message: str, cosine: float = 0.9, created_at: str = "2026-01-01") -> Candidate:
    mark = KeyedHead().bind(FEATURE, Message.from_text(message), SECRET)
    return Candidate(f"id of {message}", created_at, mark, cosine, "whole", FEATURE)


def secret_of(_: bytes) -> bytes:
    return SECRET


def test_each_candidate_is_opened_with_its_own_owners_secret() -> None:
    own, former = candidate("own"), replace(candidate("former"), owner=b"former")
    found = claim([own, former], {b"": bytes(31) + b"\1", b"former": SECRET}.__getitem__, DECISION, trials=2)
    assert found is not None
    assert found.message.text == "former"


def test_nearer_candidates_come_first() -> None:
    near, far = candidate("near", 0.9, "2026-02-02"), candidate("far", 0.8, "2026-01-01")
    assert rank([far, near]) == [near, far]


@pytest.mark.parametrize("difference", [0.0, 1e-7, 9e-4])
def test_of_equally_near_candidates_the_oldest_comes_first(difference: float) -> None:
    old, new = candidate("old", 0.9, "2026-01-01"), candidate("new", 0.9 + difference, "2026-02-02")
    other = candidate("other", 0.5, "2025-01-01")
    assert rank([other, new, old]) == [old, new, other]


def test_the_first_candidate_that_passes_is_claimed() -> None:
    unreadable = replace(candidate("unreadable"), feature=draw_feature())
    first, second = candidate("first"), candidate("second")
    found = claim([unreadable, first, second], secret_of, DECISION, trials=3)
    assert found is not None
    assert found.candidate is first
    assert found.message.text == "first"
    assert found.p_value <= DECISION.false_claim_rate


def test_a_message_that_opens_is_no_claim_where_chance_would_agree_as_well() -> None:
    weak = Decision(4)  # a null so small that hardly any agreement means something
    assert claim([candidate("certain")], secret_of, weak, trials=1000) is None


def test_a_candidate_that_is_too_far_away_is_not_even_tried() -> None:
    assert claim([candidate("far", LEAST_COSINE - 0.01)], secret_of, DECISION, trials=1) is None


def test_another_secret_claims_nothing() -> None:
    assert claim([candidate("secret")], lambda _: bytes(31) + b"\1", DECISION, trials=1) is None
    assert claim([], secret_of, DECISION, trials=1) is None


def test_more_trials_raise_the_p_value_of_the_same_reading() -> None:
    faint = replace(candidate("faint"), feature=FEATURE + np.float32(1.5) * draw_feature())
    one, many = (claim([faint], secret_of, DECISION, trials) for trials in (1, 1000))
    assert one is not None
    assert many is not None
    assert many.p_value == pytest.approx(1000 * one.p_value)


def test_an_accepted_verdict_says_what_was_read_and_where() -> None:
    found = claim([candidate("words", 0.93)], secret_of, DECISION, trials=1)
    assert found is not None
    verdict = accepted(found, milliseconds=2.5)
    assert verdict.registered
    assert verdict.message == Message.from_text("words")
    assert (verdict.record_id, verdict.view, verdict.cosine) == ("id of words", "whole", 0.93)
    assert verdict.agreeing == verdict.compared == 512
    assert verdict.milliseconds == 2.5


def test_a_rejected_verdict_names_nothing_but_how_near_it_came() -> None:
    verdict = rejected(0.1, DECISION, trials=30, milliseconds=1.0)
    assert not verdict.registered
    assert (verdict.record_id, verdict.message, verdict.view) == (None, None, None)
    assert verdict.p_value == DECISION.p_value(0.1, 30)
    assert rejected(0.0, DECISION, trials=0, milliseconds=1.0).p_value == 1.0
