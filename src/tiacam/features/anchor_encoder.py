"""`anchor` as a dual encoder: our image tower, a frozen sentence encoder and the trained text projection."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from pickle import UnpicklingError
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from tiacam.errors import ModelFileError, UsageError
from tiacam.features.anchor import EMBEDDING, ImageTower, TextProjection
from tiacam.features.dual import DualEncoder, Sight
from tiacam.features.efficientnet import INPUT_MEAN, INPUT_SCALE
from tiacam.features.sentences import SentenceEncoder

# Stages of the tower after which the picture is an 8th, a 16th and a 32nd of its size.
LAYER_STAGES = (2, 4, 6)


class AnchorEncoder(DualEncoder):
    """The tower's embedding and three of its stages; captions need a sentence encoder, their vectors do not."""

    width = EMBEDDING

    def __init__(
        self, tower: ImageTower, text: TextProjection, sentences: SentenceEncoder | None = None
    ) -> None:
        super().__init__()
        self.tower, self.text, self.sentences = tower, text, sentences
        self.freeze()

    @classmethod
    def load(cls, path: Path, sentences: SentenceEncoder | None = None) -> AnchorEncoder:
        """From a checkpoint of the anchor's training, or from its averaged weights alone."""
        state = read_weights(path)
        try:
            text = TextProjection(state["text"]["project.0.weight"].shape[1])
            tower = ImageTower.of(widened(state["averaged"]))
            text.load_state_dict(widened(state["text"]))
        except (KeyError, RuntimeError) as error:
            raise ModelFileError(f"{path} holds no anchor backbone: {error}") from error
        return cls(tower, text, sentences)

    def look(self, image: Tensor) -> Sight:
        tower = self.tower
        backbone = tower.backbone
        scaled = (image * 255.0 - INPUT_MEAN) / INPUT_SCALE
        hidden = functional.relu6(backbone.stem_norm(backbone.stem(scaled)))
        seen = {backbone.ends[stage] for stage in LAYER_STAGES}
        layers = []
        for index, block in enumerate(backbone.blocks):
            hidden = block(hidden)
            if index in seen:
                layers.append(hidden.float().mean(dim=(2, 3)))
        last = functional.relu6(backbone.head_norm(backbone.head(hidden)))
        embedding: Tensor = tower.project(tower.norm(tower.pool(last)))
        return Sight(embedding.float(), (*layers, embedding.float()))

    def embed_texts(self, texts: Sequence[str]) -> Tensor:
        if self.sentences is None:
            raise UsageError("this anchor was loaded without a sentence encoder: captions cannot be embedded")
        return self.embed_sentences(self.sentences(texts))

    @torch.no_grad()
    def embed_sentences(self, vectors: Tensor) -> Tensor:
        """Unit embeddings of captions whose sentence vectors (B, 384) are known."""
        projected: Tensor = self.text(vectors.float())
        return projected


def read_weights(path: Path) -> Mapping[str, Any]:
    """The state dictionaries of a checkpoint by name; a file without steps and optimizers will do."""
    try:
        content = torch.load(path, map_location="cpu", weights_only=True)
    except (OSError, RuntimeError, EOFError, UnpicklingError) as error:
        raise ModelFileError(f"{path} is no file of weights: {error}") from error
    state = content.get("state", content)
    assert isinstance(state, Mapping)
    return state


def widened(state: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Weights that were stored in half precision as floats again."""
    return {name: value.float() if value.is_floating_point() else value for name, value in state.items()}
