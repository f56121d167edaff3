"""The paper's head: Eqs. 5-9 as printed, and the finding that it proves nothing about a picture."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from watermark_samples import Feature, draw_feature, draw_message, draw_probe

from tiacam.errors import MessageError
from tiacam.watermark import Message, ReferenceHead
from tiacam.watermark.reference import (
    ReferenceParameters,
    Signature,
    fit,
    initial_signature,
    loss,
    unpack,
)

SALT = bytes(16)
SMALL = ReferenceParameters(width=12, steps=60, rate=0.05, penalty=1e-2)


def floats(values: list[Any]) -> NDArray[np.float32]:
    return np.array(values, np.float32)


def step_by_step(
    start: Signature, feature: Feature, bits: NDArray[np.float32], chosen: ReferenceParameters
) -> Signature:
    """Eq. 7 by automatic differentiation of Eqs. 5 and 6, in double precision."""
    codes, weight, bias = (
        torch.tensor(part, dtype=torch.float64, requires_grad=True)
        for part in (start.codes, start.weight, start.bias)
    )
    picture, target = torch.tensor(feature).double(), torch.tensor(bits).double()
    for _ in range(chosen.steps):
        predicted = torch.sigmoid(codes @ (weight @ picture + bias))
        cross_entropy = -(target * predicted.log() + (1 - target) * (1 - predicted).log()).sum()
        total = cross_entropy + chosen.penalty * (codes**2).sum()
        gradients = torch.autograd.grad(total, (codes, weight, bias))
        with torch.no_grad():
            for part, gradient in zip((codes, weight, bias), gradients, strict=True):
                part -= chosen.rate * gradient
    return Signature(*(part.detach().numpy().astype(np.float32) for part in (codes, weight, bias)))


@pytest.mark.parametrize("scale", [1.0, 4.0])
def test_fitting_is_gradient_descent_on_the_printed_loss(scale: float) -> None:
    rng = np.random.default_rng(1)
    feature = np.float32(scale) * draw_feature(rng, 20)
    bits = rng.integers(0, 2, 9).astype(np.float32)
    start = initial_signature(20, 9, SMALL, SALT)
    found, wanted = fit(start, feature, bits, SMALL), step_by_step(start, feature, bits, SMALL)
    assert not np.allclose(found.codes, start.codes, atol=1e-2)
    for name in ("codes", "weight", "bias"):
        assert getattr(found, name) == pytest.approx(getattr(wanted, name), abs=2e-5)


def test_the_loss_is_that_of_equations_5_and_6() -> None:
    signature = Signature(floats([[1], [-2]]), floats([[0.5]]), floats([0.25]))
    feature, bits = floats([1]), floats([1, 0])
    # Ψ(F) = 0.75; -ln σ(0.75) = 0.38687, -ln(1 - σ(-1.5)) = 0.20141; ‖C‖² = 5
    assert loss(signature, feature, bits, penalty=0.1) == pytest.approx(0.38687 + 0.20141 + 0.5, abs=1e-4)
    assert signature.probabilities(feature) == pytest.approx([0.67918, 0.18243], abs=1e-4)


def test_every_step_lowers_the_loss() -> None:
    rng = np.random.default_rng(2)
    feature, bits = draw_feature(rng, 20), rng.integers(0, 2, 9).astype(np.float32)
    start = initial_signature(20, 9, SMALL, SALT)
    losses = [
        loss(fit(start, feature, bits, replace(SMALL, steps=steps)), feature, bits, SMALL.penalty)
        for steps in range(0, 60, 5)
    ]
    assert losses == sorted(losses, reverse=True)
    assert losses[-1] < losses[0] / 2


@pytest.mark.parametrize("bits", [1, 30, 100, 200])
def test_the_registered_picture_gives_the_message_back(bits: int) -> None:
    rng = np.random.default_rng(bits)
    feature, message = draw_feature(rng), draw_message(rng, bits)
    reading = ReferenceHead().read(feature, ReferenceHead().bind(feature, message))
    assert reading.message == message
    assert reading.compared == bits


def mean_accuracy(seed: int, bits: int, cosine: float, norm: float) -> float:
    """Share of bits read right over 20 fits, from features of this cosine to the registered one."""
    rng, head = np.random.default_rng(seed), ReferenceHead()
    shares = []
    for _ in range(20):
        feature, message = draw_feature(rng), draw_message(rng, bits)
        mark = head.bind(np.float32(norm) * feature, message, salt=rng.bytes(16))
        found = head.read(np.float32(norm) * draw_probe(rng, feature, cosine), mark).message
        assert found is not None
        shares.append(np.mean(np.array(message.bits) == np.array(found.bits)))
    return float(np.mean(shares))


@pytest.mark.parametrize("bits", [30, 100, 200])
@pytest.mark.parametrize("norm", [1.0, 512**0.5], ids=["unit features", "layer outputs"])
def test_it_reads_the_message_from_pictures_that_hardly_resemble_the_registered_one(
    bits: int, norm: float
) -> None:
    assert mean_accuracy(3, bits, 0.3, norm) > 0.99


@pytest.mark.parametrize("cosine", [0.0, -0.3])
def test_with_unit_features_unrelated_and_opposite_pictures_give_the_whole_message(cosine: float) -> None:
    assert (
        mean_accuracy(4, 100, cosine, 1.0) > 0.99
    )  # the bias of Ψ, which every picture shares, outweighs the picture


def test_with_layer_outputs_the_sign_of_the_cosine_is_all_that_counts() -> None:
    assert mean_accuracy(5, 100, -0.3, 512**0.5) < 0.05
    assert 0.05 < mean_accuracy(5, 100, 0.0, 512**0.5) < 1.0


def test_the_stored_codes_give_the_message_away() -> None:
    rng = np.random.default_rng(5)
    feature, message = draw_feature(rng), draw_message(rng, 100)
    codes = unpack(ReferenceHead().bind(feature, message, salt=SALT)).codes
    leading = np.linalg.svd(codes)[0][:, 0] > 0
    share = float(np.mean(leading == np.array(message.bits, bool)))
    assert max(share, 1 - share) > 0.99  # up to one global flip


def test_a_probability_of_one_half_reads_as_one() -> None:
    head = ReferenceHead(ReferenceParameters(width=2, steps=0, spread=0.0))
    mark = head.bind(np.zeros(3, np.float32), Message.from_bits("00"))
    assert head.read(np.zeros(3, np.float32), mark).message == Message.from_bits("11")


def test_the_same_salt_gives_the_same_signature() -> None:
    rng = np.random.default_rng(6)
    feature, message = draw_feature(rng, 16), draw_message(rng, 8)
    head = ReferenceHead(SMALL)
    assert head.bind(feature, message, salt=SALT) == head.bind(feature, message, salt=SALT)
    assert head.bind(feature, message).salt != head.bind(feature, message).salt


def test_large_features_do_not_overflow() -> None:
    rng = np.random.default_rng(7)
    feature, message = 100 * draw_feature(rng), draw_message(rng, 100)
    mark = ReferenceHead().bind(feature, message)
    assert np.isfinite(unpack(mark).weight).all()


def test_a_damaged_or_foreign_mark_is_refused() -> None:
    rng = np.random.default_rng(8)
    head, feature = ReferenceHead(SMALL), draw_feature(rng, 16)
    mark = head.bind(feature, draw_message(rng, 8))
    for damaged in (
        replace(mark, helper=mark.helper[:-1]),
        replace(mark, helper=b""),
        replace(mark, parameters={"bits": 8}),
        replace(mark, parameters={"bits": "x", "inputs": 16, "width": 12}),
        replace(mark, head="keyed-1"),
    ):
        with pytest.raises(MessageError):
            head.read(feature, damaged)
    with pytest.raises(MessageError, match="width 16"):
        head.read(draw_feature(rng, 17), mark)


@pytest.mark.parametrize("change", [{"width": 0}, {"steps": -1}, {"rate": 0.0}, {"penalty": -1.0}])
def test_settings_that_are_no_optimisation_are_refused(change: dict[str, float]) -> None:
    with pytest.raises(MessageError, match="no optimisation"):
        ReferenceParameters(**change)  # type: ignore[arg-type]
