"""The paper's zero-watermarking head, as printed (§3.3, Eqs. 5-9): for reproducing its tables.

It proves nothing about a picture. With one image and one message every gradient on C_i is parallel to Ψ(F),
so the fit has rank one and the sign of F̃'·C_i hardly depends on the picture: unrelated pictures "extract"
the message too. Hence the default is `KeyedHead`; docs/decisions/0001-two-heads.md has the measurement.
"""

from __future__ import annotations

import secrets
from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray

from tiacam.errors import MessageError
from tiacam.watermark.mark import SALT_BYTES, Mark
from tiacam.watermark.message import Message
from tiacam.watermark.verdict import Reading

HEAD = "reference-1"
Vector = NDArray[np.float32]


@dataclass(frozen=True)
class ReferenceParameters:
    """Settings of the per-pair optimisation; the paper gives none of them."""

    width: int = 256  # d, the width of F̃ = Ψ(F)
    steps: int = 500
    rate: float = 0.01  # η of Eq. 7
    penalty: float = 1e-4  # λ_C of Eq. 6
    spread: float = 0.01  # standard deviation of the initial C

    def __post_init__(self) -> None:
        if self.width < 1 or self.steps < 0 or self.rate <= 0 or self.penalty < 0:
            raise MessageError(
                f"{self} is no optimisation: width ≥ 1, steps ≥ 0, rate > 0, penalty ≥ 0 wanted"
            )


@dataclass(frozen=True)
class Signature:
    """The reference signature (C, Ψ) of one image-message pair."""

    codes: NDArray[np.float32]  # C, (k, d)
    weight: NDArray[np.float32]  # of Ψ, (d, D)
    bias: Vector  # of Ψ, (d,)

    def probabilities(self, feature: Vector) -> Vector:
        """Ŵ'_i = σ(F̃'·C_i) with F̃' = Ψ(F'): Eq. 8."""
        return sigmoid(self.codes @ (self.weight @ feature + self.bias))


class ReferenceHead:
    """Learns a dedicated (C, Ψ) for one feature and one message by gradient descent."""

    def __init__(self, parameters: ReferenceParameters | None = None) -> None:
        self.parameters = parameters or ReferenceParameters()

    def bind(self, feature: Vector, message: Message, *, salt: bytes | None = None) -> Mark:
        salt = secrets.token_bytes(SALT_BYTES) if salt is None else salt
        start = initial_signature(len(feature), message.length, self.parameters, salt)
        fitted = fit(start, feature, np.array(message.bits, np.float32), self.parameters)
        helper = b"".join(part.astype("<f4").tobytes() for part in (fitted.codes, fitted.weight, fitted.bias))
        return Mark(
            HEAD, {**asdict(self.parameters), "bits": message.length, "inputs": len(feature)}, salt, helper
        )

    def read(self, feature: Vector, mark: Mark) -> Reading:
        """The message at threshold 0.5 (Eq. 9): whatever the picture, some message comes out."""
        signature = unpack(mark)
        if len(feature) != signature.weight.shape[1]:
            raise MessageError(
                f"the record is of features of width {signature.weight.shape[1]}, this one has {len(feature)}"
            )
        probabilities = signature.probabilities(feature)
        bits = (probabilities >= 0.5).astype(int)
        return Reading(Message.from_bits(bits.tolist()), compared=len(bits))


def initial_signature(inputs: int, bits: int, parameters: ReferenceParameters, salt: bytes) -> Signature:
    """Small random C, and Ψ as a linear layer is usually started: uniform in ±1/√inputs, bias included."""
    random = np.random.default_rng(int.from_bytes(salt, "big"))
    bound = 1 / np.sqrt(inputs)
    return Signature(
        codes=random.normal(0, parameters.spread, (bits, parameters.width)).astype(np.float32),
        weight=random.uniform(-bound, bound, (parameters.width, inputs)).astype(np.float32),
        bias=random.uniform(-bound, bound, parameters.width).astype(np.float32),
    )


def fit(start: Signature, feature: Vector, bits: Vector, parameters: ReferenceParameters) -> Signature:
    """Gradient descent of Eq. 7 on L_total = L_W + λ_C‖C‖² (Eqs. 5 and 6), C and Ψ together.

    The gradient of Ψ's weight is an outer product with F, the same in every step. So only its left factor is summed,
    and F̃ follows from it: the same numbers as the printed update at a fraction of the cost.
    """
    rate = np.float32(parameters.rate)
    kept = np.float32(
        1 - 2 * parameters.rate * parameters.penalty
    )  # of C in a step, by the gradient of λ_C‖C‖²
    codes, moved = start.codes.copy(), np.zeros_like(start.bias)  # moved: Σ η ∂L/∂F̃
    change = np.empty_like(codes)
    projected = start.weight @ feature + start.bias  # F̃ = Ψ(F), (d,)
    gain = feature @ feature + np.float32(1)  # what a step along ∂L/∂F̃ changes in F̃: through weight and bias
    for _ in range(parameters.steps):
        error = rate * (sigmoid(codes @ projected) - bits)  # η ∂L_W/∂(F̃·C_i), (k,)
        step = error @ codes  # η ∂L_W/∂F̃, (d,)
        np.multiply(error[:, None], projected, out=change)  # η ∂L_W/∂C, (k, d)
        codes *= kept
        codes -= change
        moved += step
        projected = projected - step * gain
    return Signature(codes, start.weight - np.outer(moved, feature), start.bias - moved)


def loss(signature: Signature, feature: Vector, bits: Vector, penalty: float) -> float:
    """L_total of Eqs. 5 and 6."""
    probabilities = np.clip(signature.probabilities(feature), 1e-7, 1 - 1e-7)
    cross_entropy = -np.sum(bits * np.log(probabilities) + (1 - bits) * np.log(1 - probabilities))
    return float(cross_entropy + penalty * np.sum(signature.codes**2))


def unpack(mark: Mark) -> Signature:
    """The signature stored in a mark of this head."""
    if mark.head != HEAD:
        raise MessageError(f"the record was made by the head {mark.head!r}, this is {HEAD!r}")
    try:
        bits, inputs, width = (int(mark.parameters[name]) for name in ("bits", "inputs", "width"))
    except (KeyError, TypeError, ValueError) as error:
        raise MessageError(
            f"{dict(mark.parameters)} are no parameters of {HEAD!r}: bits, inputs and width wanted"
        ) from error
    size = 4 * width * (bits + inputs + 1)
    if len(mark.helper) != size:
        raise MessageError(f"helper data has {len(mark.helper)} bytes, wanted {size}")
    codes, weight, bias = np.split(np.frombuffer(mark.helper, "<f4"), [bits * width, (bits + inputs) * width])
    return Signature(codes.reshape(bits, width), weight.reshape(width, inputs), bias)


def sigmoid(logits: Vector) -> Vector:
    """1 / (1 + e^-x) as a hyperbolic tangent, which cannot overflow."""
    half = np.float32(0.5)
    return np.asarray(half + half * np.tanh(half * logits), np.float32)
