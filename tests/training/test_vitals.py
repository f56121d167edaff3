"""The signs of life of a run, and the alarm."""

from __future__ import annotations

import math

import pytest
import torch

from tiacam.errors import TrainingError
from tiacam.training.vitals import Alarm, Vitals, effective_rank, pair_accuracy, take_vitals

ALIVE = Vitals(genuine=0.9, impostor=0.01, impostor_high=0.3, accuracy=0.8, rank=120.0)


def test_the_effective_rank_of_equal_axes_is_their_number() -> None:
    axes = torch.cat([torch.eye(6), -torch.eye(6)])
    assert effective_rank(axes) == pytest.approx(6, abs=1e-3)
    assert effective_rank(torch.ones(5, 4)) == 0.0


def test_vitals_compare_pictures_with_themselves_and_with_others() -> None:
    clean = torch.eye(4)
    distorted = torch.eye(4) + torch.roll(torch.eye(4), 1, 0)
    vitals = take_vitals(clean, distorted, 0.5)
    assert vitals.genuine == pytest.approx(math.sqrt(0.5))
    assert vitals.impostor == pytest.approx(0.0)
    same = take_vitals(torch.ones(4, 3), torch.ones(4, 3), 0.5)
    assert same.genuine == pytest.approx(1.0)
    assert same.impostor == pytest.approx(1.0)


def test_accuracy_counts_both_kinds_of_pair_alike() -> None:
    real, fake = torch.tensor([[0.0, 1.0]]), torch.tensor([[1.0, 0.0]])
    assert pair_accuracy(real.repeat(3, 1), fake.repeat(3, 1)) == 1.0
    assert pair_accuracy(real.repeat(3, 1), real.repeat(3, 1)) == 0.5
    assert pair_accuracy(fake, real) == 0.0


@pytest.mark.parametrize(
    ("sick", "words"),
    [
        (Vitals(1.0, 0.1, 0.9, 0.5, rank=1.3), "1.3 directions"),
        (Vitals(1.0, 0.97, 1.0, 0.5, rank=40.0), "mean cosine of 0.970"),
        (Vitals(1.0, math.nan, 1.0, 0.5, rank=40.0), "mean cosine"),
    ],
)
def test_a_collapsed_run_stops_with_a_message_once_the_first_steps_are_over(sick: Vitals, words: str) -> None:
    alarm = Alarm(grace=10)
    alarm.check(9, sick, {})
    with pytest.raises(TrainingError, match=words):
        alarm.check(10, sick, {})


def test_a_live_run_goes_on_and_a_loss_that_is_no_number_ends_it_at_once() -> None:
    Alarm().check(5000, ALIVE, {"invariance": 0.2})
    with pytest.raises(TrainingError, match="invariance is no number"):
        Alarm().check(1, ALIVE, {"invariance": math.nan, "semantic": 0.1})
