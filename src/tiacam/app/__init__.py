"""The product in one object: a registry, a model and a key, and the four things that people do with them."""

from tiacam.app.drafting import Drafter, Submission
from tiacam.app.tiacam import Tiacam, model_of
from tiacam.registry import key_path

__all__ = ["Drafter", "Submission", "Tiacam", "key_path", "model_of"]
