"""Tiny dual encoders on disk, in the layouts that real ones have."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import torch

WORDS = ["a", "cat", "dog", "on", "the", "bench", "red", "bus", "street", "man", "riding", "wave"]


def save_clip(folder: Path, width: int = 24, size: int = 32) -> Path:
    """A CLIP of two layers a side with a tokenizer of a few words, as `save_pretrained` leaves them."""
    from transformers import CLIPConfig, CLIPModel

    tokenizer = build_tokenizer()
    tokenizer.save_pretrained(folder)
    text = {
        "vocab_size": len(tokenizer),
        "hidden_size": 16,
        "intermediate_size": 32,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "max_position_embeddings": 16,
        "bos_token_id": tokenizer.bos_token_id,
        "eos_token_id": tokenizer.eos_token_id,
        "pad_token_id": tokenizer.pad_token_id,
    }
    vision = {
        "hidden_size": 16,
        "intermediate_size": 32,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "image_size": size,
        "patch_size": 8,
    }
    torch.manual_seed(0)
    CLIPModel(CLIPConfig(text_config=text, vision_config=vision, projection_dim=width)).save_pretrained(
        folder
    )
    (folder / "preprocessor_config.json").write_text(json.dumps(preprocessing(size)))
    return folder


def preprocessing(size: int) -> dict[str, Any]:
    return {
        "size": {"shortest_edge": size},
        "crop_size": {"height": size, "width": size},
        "image_mean": [0.48, 0.46, 0.41],
        "image_std": [0.27, 0.26, 0.28],
    }


def save_sentence_encoder(folder: Path, width: int = 16) -> Path:
    """A BERT of one layer."""
    from transformers import BertConfig, BertModel

    tokenizer = build_tokenizer()
    tokenizer.save_pretrained(folder)
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=width,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=32,
    )
    BertModel(config).save_pretrained(folder)
    return folder


def build_tokenizer() -> Any:
    """One token a word."""
    from tokenizers import Tokenizer, models, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    vocabulary = {word: index for index, word in enumerate(["<pad>", "<bos>", "<eos>", "<unk>", *WORDS])}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<bos> $A <eos>", special_tokens=[("<bos>", 1), ("<eos>", 2)]
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        pad_token="<pad>",
        bos_token="<bos>",
        eos_token="<eos>",
        unk_token="<unk>",
        model_max_length=16,
    )
