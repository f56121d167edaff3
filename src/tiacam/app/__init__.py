"""The product in one object: a registry, a model and a key, and the four things that people do with them."""

from tiacam.app.tiacam import Submission, Tiacam
from tiacam.registry import key_path

__all__ = ["Submission", "Tiacam", "key_path"]
