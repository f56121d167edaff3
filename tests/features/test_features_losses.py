"""Eqs. 1 to 3: each with a value worked out by hand, and a property."""

from __future__ import annotations

import math

import pytest
import torch
from torch import Tensor

from tiacam.features.discriminator import REAL
from tiacam.features.losses import (
    Form,
    adversarial_loss,
    discriminator_objective,
    extractor_loss,
    feature_loss,
    log_fake,
    log_real,
)


def logits(*shares: float) -> Tensor:
    """Logits for which D has these values."""
    rows = torch.zeros(len(shares), 2)
    rows[:, REAL] = torch.logit(torch.tensor(shares))
    return rows.requires_grad_()


def test_the_discriminator_is_a_share_of_two_classes() -> None:
    assert log_real(logits(0.8)).item() == pytest.approx(math.log(0.8))
    assert log_fake(logits(0.8)).item() == pytest.approx(math.log(0.2))


def test_equation_1_is_the_log_likelihood_of_all_four_kinds_of_pair() -> None:
    value = discriminator_objective(logits(0.8, 0.5), logits(0.6, 0.5), logits(0.1, 0.5), logits(0.3, 0.5))
    first = math.log(0.8) + math.log(0.6) + math.log(0.9) + math.log(0.7)
    assert value.item() == pytest.approx((first + 4 * math.log(0.5)) / 2)


def test_equation_1_grows_with_every_pair_told_right_and_never_above_zero() -> None:
    pairs = [logits(0.6, 0.4) for _ in range(4)]
    value = discriminator_objective(*pairs)
    slopes = torch.autograd.grad(value, pairs)
    assert all((slope[:, REAL] > 0).all() for slope in slopes[:2])
    assert all((slope[:, REAL] < 0).all() for slope in slopes[2:])
    sure, wrong = logits(1 - 1e-6), logits(1e-6)
    assert -1e-4 < discriminator_objective(sure, sure, wrong, wrong).item() <= 0


def test_equation_2_in_both_forms() -> None:
    clean, distorted = logits(0.8), logits(0.6)
    printed = adversarial_loss(clean, distorted, Form.SATURATING)
    assert printed.item() == pytest.approx(math.log(0.2) + math.log(0.4))
    used = adversarial_loss(clean, distorted, Form.NON_SATURATING)
    assert used.item() == pytest.approx(-math.log(0.8) - math.log(0.6))


@pytest.mark.parametrize("form", list(Form))
def test_equation_2_falls_as_the_discriminator_believes_more(form: Form) -> None:
    values = [adversarial_loss(logits(share), logits(share), form).item() for share in (0.1, 0.5, 0.9, 0.999)]
    assert values == sorted(values, reverse=True)


def test_the_printed_form_never_stops_pushing_where_matched_pairs_are_believed() -> None:
    """Why the other form is the default: D learns to believe these very pairs, so D is near one here."""
    believed = logits(0.999)
    (printed,) = torch.autograd.grad(adversarial_loss(believed, believed, Form.SATURATING), believed)
    (used,) = torch.autograd.grad(adversarial_loss(believed, believed, Form.NON_SATURATING), believed)
    assert printed[0, REAL].item() == pytest.approx(-2 * 0.999, rel=1e-3)
    assert used[0, REAL].item() == pytest.approx(-2 * 0.001, rel=1e-3)


def test_equation_3_weighs_equation_2_and_the_whole_adds_the_invariance() -> None:
    adversarial, invariance = torch.tensor(2.0), torch.tensor(0.25)
    assert feature_loss(adversarial, 0.5).item() == 1.0
    assert extractor_loss(adversarial, invariance, 0.5).item() == 1.25
    assert extractor_loss(adversarial, invariance, 0.0).item() == 0.25
