"""Eqs. 1 to 3 of the paper as pure functions of the discriminator's logits (B, 2).

Signs are the paper's: Eq. 1 is a log-likelihood that D maximises, Eq. 2 a loss that the extractor minimises
(decision 0006).
"""

from __future__ import annotations

from enum import StrEnum

from torch import Tensor
from torch.nn import functional

from tiacam.features.discriminator import REAL


class Form(StrEnum):
    """How the extractor's wish that D takes its pairs for real is written."""

    SATURATING = "saturating"  # log(1 - D), as printed
    NON_SATURATING = "non-saturating"  # -log D


def log_real(logits: Tensor) -> Tensor:
    """log D (B,): D is the softmax's share of the matched class."""
    return functional.log_softmax(logits, dim=1)[:, REAL]


def log_fake(logits: Tensor) -> Tensor:
    """log(1 - D) (B,)."""
    return functional.log_softmax(logits, dim=1)[:, 1 - REAL]


def discriminator_objective(
    clean_match: Tensor, distorted_match: Tensor, clean_mismatch: Tensor, distorted_mismatch: Tensor
) -> Tensor:
    """L_disc of Eq. 1: E[log D(F,E⁺) + log D(F',E⁺)] + E[log(1-D(F,E⁻)) + log(1-D(F',E⁻))]; D maximises it."""
    matched = log_real(clean_match) + log_real(distorted_match)
    mismatched = log_fake(clean_mismatch) + log_fake(distorted_mismatch)
    return matched.mean() + mismatched.mean()


def adversarial_loss(
    clean_match: Tensor, distorted_match: Tensor, form: Form = Form.NON_SATURATING
) -> Tensor:
    """L_adv of Eq. 2: E[log(1-D(F,E⁺)) + log(1-D(F',E⁺))], or -log D in its place; the extractor minimises it."""
    if form is Form.SATURATING:
        return (log_fake(clean_match) + log_fake(distorted_match)).mean()
    return -(log_real(clean_match) + log_real(distorted_match)).mean()


def feature_loss(adversarial: Tensor, adversarial_weight: float) -> Tensor:
    """L_feat = λ_adv·L_adv of Eq. 3."""
    return adversarial_weight * adversarial


def extractor_loss(adversarial: Tensor, invariance: Tensor, adversarial_weight: float) -> Tensor:
    """λ_adv·L_adv + L_inv: the extractor's part of Eqs. 3 and 4 together ("Full System Training")."""
    return feature_loss(adversarial, adversarial_weight) + invariance
