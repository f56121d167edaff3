"""`clip`: a real CLIP by Hugging Face transformers, from a local folder or a hub name; the paper's backbone."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from tiacam.errors import ModelFileError
from tiacam.features.dual import DualEncoder, Sight

LAYERS = 4  # that L_sem compares, spread evenly over the depth


@dataclass(frozen=True)
class Preprocessing:
    """What the model's own `preprocessor_config.json` says: shorter side, crop, mean and deviation."""

    short_side: int
    crop: tuple[int, int]  # height, width
    mean: tuple[float, ...]
    deviation: tuple[float, ...]

    @classmethod
    def of(cls, config: Mapping[str, Any]) -> Preprocessing:
        size, crop = config["size"], config.get("crop_size", config["size"])
        short = size if isinstance(size, int) else size.get("shortest_edge") or size["height"]
        sides = (crop, crop) if isinstance(crop, int) else (crop.get("height"), crop.get("width"))
        if sides[0] is None:
            sides = (short, short)
        return cls(int(short), sides, tuple(config["image_mean"]), tuple(config["image_std"]))

    def apply(self, image: Tensor) -> Tensor:
        """Bicubic to the shorter side, the middle cut out, normalised; differentiable."""
        height, width = image.shape[-2:]
        # cut off, not rounded, as the original does
        sides = [side * self.short_side // min(height, width) for side in (height, width)]
        if sides != [height, width]:
            image = functional.interpolate(image, sides, mode="bicubic", antialias=True).clamp(0, 1)
        tall, wide = self.crop
        top, left = (sides[0] - tall) // 2, (sides[1] - wide) // 2
        cut = image[..., top : top + tall, left : left + wide]
        mean, deviation = (cut.new_tensor(values)[:, None, None] for values in (self.mean, self.deviation))
        return (cut - mean) / deviation


class ClipEncoder(DualEncoder):
    """CLIP of any width with its own tokenizer and preprocessing."""

    def __init__(self, network: Any, tokenizer: Any, preprocessing: Preprocessing) -> None:
        super().__init__()
        self.network = network
        self.tokenizer, self.preprocessing = tokenizer, preprocessing
        self.width = int(network.config.projection_dim)
        self.longest = int(network.config.text_config.max_position_embeddings)
        depth = int(network.config.vision_config.num_hidden_layers)
        self.depths = sorted({round((place + 1) * depth / LAYERS) for place in range(LAYERS)} - {0})
        self.freeze()

    @classmethod
    def load(cls, source: str) -> ClipEncoder:
        """From a local folder or a hub name."""
        from transformers import AutoTokenizer, CLIPModel
        from transformers.utils.hub import cached_file

        try:
            network = CLIPModel.from_pretrained(source)
            tokenizer = AutoTokenizer.from_pretrained(source)
            config = Path(str(cached_file(source, "preprocessor_config.json"))).read_text(encoding="utf-8")
            return cls(network, tokenizer, Preprocessing.of(json.loads(config)))
        except (OSError, ValueError, KeyError) as error:
            raise ModelFileError(f"{source} holds no CLIP model: {error}") from error

    def look(self, image: Tensor) -> Sight:
        seen = self.network.vision_model(self.preprocessing.apply(image), output_hidden_states=True)
        embedding = self.network.visual_projection(seen.pooler_output).float()
        return Sight(embedding, tuple(seen.hidden_states[depth][:, 0].float() for depth in self.depths))

    @torch.no_grad()
    def embed_texts(self, texts: Sequence[str]) -> Tensor:
        device = next(self.network.parameters()).device
        tokens = self.tokenizer(
            list(texts), padding=True, truncation=True, max_length=self.longest, return_tensors="pt"
        ).to(device)
        read = self.network.text_model(input_ids=tokens["input_ids"], attention_mask=tokens["attention_mask"])
        return functional.normalize(self.network.text_projection(read.pooler_output).float())
