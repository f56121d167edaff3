"""The card that travels with every model file: what it is, how it is fed, and how its features are whitened."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tiacam.errors import ModelFileError

CARD_FORMAT = "tiacam-model-card-1"


@dataclass(frozen=True)
class Whitening:
    """Per-axis statistics of the features of many pictures; the model's output axes are already decorrelated."""

    mean: NDArray[np.float32]  # (D,)
    scale: NDArray[np.float32]  # (D,) one over the standard deviation

    def apply(self, features: NDArray[np.float32]) -> NDArray[np.float32]:
        """(B, D) raw features → (B, D) unit vectors whose axes carry equal variance."""
        white = (features - self.mean) * self.scale
        length: NDArray[np.float32] = np.linalg.norm(white, axis=1, keepdims=True)
        return np.asarray(white / np.maximum(length, 1e-12), np.float32)


@dataclass(frozen=True)
class ModelCard:
    """What is known about one model file."""

    name: str
    version: str
    summary: str
    file: str
    sha256: str
    input_size: int
    feature_width: int
    preprocessing: str
    whitening: Whitening
    null_dimensions: float  # effective dimensions of unrelated pictures, for p-values
    null_evidence: Mapping[str, Any]  # how that number was measured
    training: Mapping[str, Any]

    @property
    def id(self) -> str:
        """What a record stores: name and the beginning of the file's hash."""
        return f"{self.name}@{self.sha256[:12]}"

    def to_json(self) -> dict[str, Any]:
        return {
            "format": CARD_FORMAT,
            "name": self.name,
            "version": self.version,
            "summary": self.summary,
            "file": self.file,
            "sha256": self.sha256,
            "input_size": self.input_size,
            "feature_width": self.feature_width,
            "preprocessing": self.preprocessing,
            "null": {"dimensions": self.null_dimensions, **self.null_evidence},
            "training": dict(self.training),
            "whitening": {
                "mean": [float(f"{value:.6g}") for value in self.whitening.mean],
                "scale": [float(f"{value:.6g}") for value in self.whitening.scale],
            },
        }


def read_card(path: Path) -> ModelCard:
    """The card in a JSON file, checked as far as a card can be without its model."""
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
        card = _parse(value)
    except FileNotFoundError:
        raise ModelFileError(f"there is no model card {path}") from None
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise ModelFileError(f"{path} is no model card: {type(error).__name__}: {error}") from error
    _check(card, path)
    return card


def _check(card: ModelCard, path: Path) -> None:
    mean, scale = card.whitening.mean, card.whitening.scale
    if {mean.shape, scale.shape} != {(card.feature_width,)}:
        raise ModelFileError(
            f"{path}: whitening of shape {mean.shape} and {scale.shape} for features of width {card.feature_width}"
        )
    if not (np.isfinite(mean).all() and np.isfinite(scale).all() and (scale > 0).all()):
        raise ModelFileError(f"{path}: whitening must be finite numbers, its scale positive")
    if not 2 <= card.null_dimensions < np.inf:
        raise ModelFileError(f"{path}: a null of {card.null_dimensions} dimensions, wanted at least 2")


def _parse(value: Mapping[str, Any]) -> ModelCard:
    if value.get("format") != CARD_FORMAT:
        raise ValueError(f"format is {value.get('format')!r}, wanted {CARD_FORMAT!r}")
    null = dict(value["null"])
    whitening = Whitening(
        np.array(value["whitening"]["mean"], np.float32), np.array(value["whitening"]["scale"], np.float32)
    )
    plain = {
        key: str(value[key]) for key in ("name", "version", "summary", "file", "sha256", "preprocessing")
    }
    return ModelCard(
        **plain,
        input_size=int(value["input_size"]),
        feature_width=int(value["feature_width"]),
        whitening=whitening,
        null_dimensions=float(null.pop("dimensions")),
        null_evidence=null,
        training=value["training"],
    )
