"""What the keyed head promises on average: how often it reads, never wrongly, and helper data like noise."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from scipy import stats
from watermark_samples import SECRET, Feature, bind, draw_feature, draw_message, draw_probe

from tiacam.watermark import KeyedHead, Message
from tiacam.watermark.keyed import KeyedParameters, _open

HEAD = KeyedHead()
TRIALS = 1000


def count_outcomes(seed: int, width: int, cosines: list[float]) -> Counter[str]:
    """Fresh picture, message, salt and seed in every trial."""
    rng = np.random.default_rng(seed)
    outcomes: Counter[str] = Counter()
    for cosine in cosines:
        feature, message = draw_feature(rng, width), draw_message(rng)
        mark = bind(rng, feature, message)
        found = HEAD.read(draw_probe(rng, feature, cosine), mark, SECRET).message
        outcomes["nothing" if found is None else "right" if found == message else "wrong"] += 1
    return outcomes


@pytest.mark.parametrize(("width", "cosine"), [(512, 0.70), (256, 0.80)])
def test_at_least_99_in_100_messages_are_read(width: int, cosine: float) -> None:
    outcomes = count_outcomes(1, width, [cosine] * TRIALS)
    sure = stats.beta.ppf(0.05, outcomes["right"], TRIALS - outcomes["right"] + 1)  # Clopper-Pearson
    assert sure >= 0.99
    assert outcomes["wrong"] == 0


def test_between_a_match_and_none_no_wrong_message_is_read() -> None:
    cosines = np.random.default_rng(2).uniform(0.3, 0.6, TRIALS).tolist()
    assert count_outcomes(2, 512, cosines)["wrong"] == 0


@pytest.mark.parametrize("width", [64, 256, 512])
def test_unrelated_features_read_nothing(width: int) -> None:
    assert count_outcomes(3, width, [0.0] * (TRIALS // 2)) == {"nothing": TRIALS // 2}


def draw_helpers(seed: int, feature: Feature, message: Message, count: int = 300) -> np.ndarray:
    """Helper data of many records of one picture and message, (count, bytes)."""
    rng = np.random.default_rng(seed)
    marks = [bind(rng, feature, message) for _ in range(count)]
    return np.stack([np.frombuffer(mark.helper, np.uint8) for mark in marks])


RNG = np.random.default_rng(4)
PICTURES = [draw_feature(RNG), np.eye(512, dtype=np.float32)[0]]
MESSAGES = [Message(0, 200), draw_message(RNG, 200)]


@pytest.mark.parametrize("picture", [0, 1])
@pytest.mark.parametrize("message", [0, 1])
def test_helper_bytes_look_uniform(picture: int, message: int) -> None:
    helpers = draw_helpers(5, PICTURES[picture], MESSAGES[message])
    counts = np.bincount(helpers.ravel(), minlength=256)
    assert stats.chisquare(counts).pvalue > 1e-3


def test_no_place_of_the_helper_data_leans_to_one_side() -> None:
    bits = np.unpackbits(draw_helpers(6, PICTURES[0], MESSAGES[0], 1000), axis=1)
    deviations = (bits.mean(axis=0) - 0.5) * 2 * np.sqrt(len(bits))
    assert np.abs(deviations).max() < 5
    assert stats.kstest(deviations, "norm").pvalue > 1e-3


def test_helper_bytes_do_not_tell_pictures_or_messages_apart() -> None:
    counts = [
        np.bincount(draw_helpers(seed, PICTURES[seed % 2], MESSAGES[seed // 2]).ravel(), minlength=256)
        for seed in range(4)
    ]
    assert stats.chi2_contingency(np.stack(counts)).pvalue > 1e-3


def test_even_with_the_key_the_masked_signs_look_uniform() -> None:
    rng = np.random.default_rng(7)
    marks = [bind(rng, PICTURES[0], MESSAGES[0]) for _ in range(500)]
    masked = np.stack([_open(mark, SECRET)[1].masked for mark in marks])
    assert masked.shape == (500, KeyedParameters(512).directions)
    assert abs(masked.mean() - 0.5) < 5 * 0.5 / np.sqrt(masked.size)
    pairs = rng.integers(0, 512, (1000, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    together = (masked[:, pairs[:, 0]] ^ masked[:, pairs[:, 1]]).mean(axis=0)
    assert np.abs(together - 0.5).max() < 5 * 0.5 / np.sqrt(500)
