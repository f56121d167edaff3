"""The feature model: one ONNX file and its card, run by onnxruntime."""

from tiacam.model.card import ModelCard, Whitening, read_card
from tiacam.model.foreseeing import foresee
from tiacam.model.runtime import DEFAULT_MODEL, FeatureModel, card_path, load_model, model_names

__all__ = [
    "DEFAULT_MODEL",
    "FeatureModel",
    "ModelCard",
    "Whitening",
    "card_path",
    "foresee",
    "load_model",
    "model_names",
    "read_card",
]
