"""Small real things that the heads' tests share: features, probes at an exact cosine, messages and a secret."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tiacam.watermark import KeyedHead, Mark, Message
from tiacam.watermark.keyed import SEED_BITS

Feature = NDArray[np.float32]
SECRET = bytes(range(32))
OTHER_SECRET = bytes(range(1, 33))


def draw_feature(rng: np.random.Generator, width: int = 512) -> Feature:
    """A random direction, as the feature of an unrelated picture is."""
    vector = rng.standard_normal(width)
    return (vector / np.linalg.norm(vector)).astype(np.float32)


def draw_probe(rng: np.random.Generator, feature: Feature, cosine: float) -> Feature:
    """A random feature of exactly this cosine to the given one."""
    start = feature.astype(np.float64) / np.linalg.norm(feature)
    across = rng.standard_normal(len(feature))
    across -= (across @ start) * start
    probe = cosine * start + np.sqrt(1 - cosine**2) * across / np.linalg.norm(across)
    return np.asarray(probe, np.float32)


def draw_message(rng: np.random.Generator, bits: int = 100) -> Message:
    return Message.from_bits(rng.integers(0, 2, bits).tolist())


def bind(rng: np.random.Generator, feature: Feature, message: Message) -> Mark:
    """A mark of the keyed head with salt and seed from the generator, so that a test repeats."""
    return KeyedHead().bind(
        feature, message, SECRET, salt=rng.bytes(16), seed=int(rng.integers(0, 1 << SEED_BITS))
    )
