"""Pictures and their captions in the anchor's joint space: retrieval both ways, what a changed word does (S7), and what
is read of a picture's message from its caption.

    python -m benchmarks.captions anchor.pt --name anchor-0 --data heldout/coco.tar \\
        --captions heldout/coco_captions.jsonl --sentences MINILM_FOLDER

The checkpoint holds the image tower (`averaged`) and the text side (`text`), as `tiacam train anchor` and `tiacam train
text` leave them; MINILM_FOLDER the sentence encoder that the captions were embedded with in training. Written:
results/retrieval--NAME.json and results/captions--NAME.json.
"""

from __future__ import annotations

import argparse
import hashlib
import re
import shlex
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from benchmarks.baselines.embedding import open_weights
from benchmarks.baselines.results import record
from benchmarks.baselines.saving import read, widen
from benchmarks.heads import draw_message, read_keyed, read_reference, share_right
from numpy.typing import NDArray
from torch.nn import functional

from tiacam.data import read_captions, read_names, read_pictures
from tiacam.evaluate.metrics import Estimate, estimate_mean, estimate_rate
from tiacam.evaluate.record import Row
from tiacam.features.anchor import TextProjection

LONGEST = 48  # tokens
RANKS = (1, 5, 10)
PAIRS = 200  # as many as the paper has
# Words that change what a picture shows and little else; each is exchanged for its partner.
PARTNERS = (
    ("cat", "dog"),
    ("man", "woman"),
    ("boy", "girl"),
    ("bus", "train"),
    ("horse", "cow"),
    ("elephant", "giraffe"),
    ("pizza", "cake"),
    ("car", "motorcycle"),
    ("red", "blue"),
    ("kitchen", "bathroom"),
    ("tennis", "baseball"),
    ("bench", "bed"),
    ("snow", "beach"),
)
EXCHANGE = {word: other for pair in PARTNERS for word, other in (pair, pair[::-1])}
PAPER_TRUE, PAPER_CHANGED = 0.91, 0.70
BITS = 100
SHOWN = ("bits from the picture", "bits from the text", "bits from another picture's text")
PAPER_BITS = {"bits from the picture": 1.0, "bits from the text": 0.84}

Features = NDArray[np.float32]


def exchange_word(caption: str) -> str | None:
    """The caption with its first exchangeable word exchanged, or None if it has none."""
    for match in re.finditer(r"[A-Za-z]+", caption):
        other = EXCHANGE.get(match.group().lower())
        if other is not None:
            return caption[: match.start()] + other + caption[match.end() :]
    return None


def embed_sentences(folder: Path, texts: Sequence[str], batch: int = 128) -> Features:
    """Unit sentence embeddings (N, 384): the mean of the tokens' last states."""
    from transformers import AutoModel, AutoTokenizer

    tokenizer, network = AutoTokenizer.from_pretrained(folder), AutoModel.from_pretrained(folder).eval()
    order = sorted(range(len(texts)), key=lambda index: len(texts[index]))  # alike lengths waste no padding
    rows = np.empty((len(texts), network.config.hidden_size), np.float32)
    for start in range(0, len(order), batch):
        chosen = order[start : start + batch]
        tokens = tokenizer(
            [texts[index] for index in chosen],
            padding=True,
            truncation=True,
            max_length=LONGEST,
            return_tensors="pt",
        )
        with torch.no_grad():
            states = network(**tokens).last_hidden_state
        mask = tokens["attention_mask"][..., None].float()
        rows[chosen] = functional.normalize((states * mask).sum(1) / mask.sum(1)).numpy()
    return rows


def project(content: dict[str, Any], sentences: Features) -> Features:
    """Sentence embeddings in the joint space, unit vectors."""
    text = TextProjection(sentences.shape[1])
    text.load_state_dict(widen(content["text"]))
    with torch.no_grad():
        projected: Features = text.eval()(torch.from_numpy(sentences)).numpy()
    return projected


def retrieval_rows(images: Features, texts: Features, shows: NDArray[np.int64]) -> Iterator[Row]:
    """R@k of pictures by caption and of captions by picture; `shows` says which picture a caption belongs to."""
    cosines = images @ texts.T  # (N, C)
    own = cosines[shows, np.arange(len(texts))]
    by_text = (cosines > own[None, :]).sum(axis=0)  # pictures nearer than the right one
    best = np.full(len(images), -1.0, np.float32)
    np.maximum.at(best, shows, own)
    by_image = ((cosines > best[:, None]) & (shows[None, :] != np.arange(len(images))[:, None])).sum(axis=1)
    for name, ranks in (("text to image", by_text), ("image to text", by_image)):
        for rank in RANKS:
            yield Row.of(name, f"R@{rank}", estimate_rate((ranks < rank).astype(np.float64)))
        yield Row.of(name, "median rank", Estimate(float(np.median(ranks) + 1), None, None))


def change_rows(images: Features, true: Features, changed: Features, seed: int) -> Iterator[Row]:
    """Cosines (N,) of pictures with their captions, with the changed ones, and with those of other pictures."""
    right, wrong = np.einsum("nd,nd->n", images, true), np.einsum("nd,nd->n", images, changed)
    other = np.einsum("nd,nd->n", images, np.roll(true, 1, axis=0))
    yield Row.of("one word changed", "cosine with the caption", estimate_mean(right, seed), PAPER_TRUE)
    yield Row.of(
        "one word changed", "cosine with the changed caption", estimate_mean(wrong, seed), PAPER_CHANGED
    )
    yield Row.of("one word changed", "cosine with another picture's caption", estimate_mean(other, seed))
    nearer = (right > wrong).astype(np.float64)
    yield Row.of("one word changed", "nearer to the true caption", estimate_rate(nearer))
    yield Row.of(
        "one word changed",
        "cosine of the two captions",
        estimate_mean(np.einsum("nd,nd->n", true, changed), seed),
    )


def message_rows(images: Features, texts: Features, seed: int) -> Iterator[Row]:
    """Messages of 100 bits bound to pictures (N, D), read from their captions and from others', by both heads."""
    rng = np.random.default_rng(seed)
    messages = [draw_message(rng, BITS) for _ in images]
    shown = np.stack([images, texts, np.roll(texts, 1, axis=0)], axis=1)  # (N, 3, D)
    for head, read_probes in (("reference", read_reference), ("keyed", read_keyed)):
        read = [read_probes(*each) for each in zip(images, messages, shown, strict=True)]
        for place, name in enumerate(SHOWN):
            found = [readings[place].message for readings in read]
            right = np.array([share_right(*pair) for pair in zip(messages, found, strict=True)])
            if head == "reference":
                yield Row.of(name, "reference bit accuracy", estimate_mean(right, seed), PAPER_BITS.get(name))
            exact = np.array([message == one for message, one in zip(messages, found, strict=True)])
            yield Row.of(name, f"{head} exact", estimate_rate(exact.astype(np.float64)))


def choose_changes(captions: Sequence[Sequence[str]]) -> list[tuple[int, str, str]]:
    """Picture, caption and changed caption, one of each of the first pictures that have one."""
    found = []
    for index, texts in enumerate(captions):
        pairs = ((text, exchange_word(text)) for text in texts)
        chosen = next(((text, changed) for text, changed in pairs if changed is not None), None)
        if chosen is not None:
            found.append((index, *chosen))
    return found[:PAIRS]


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("checkpoint", type=Path)
    parser.add_argument("--name", required=True, help="the model's name in the records")
    parser.add_argument("--data", type=Path, required=True, help="tar of held-out pictures")
    parser.add_argument("--captions", type=Path, required=True, help="their captions, JSON lines")
    parser.add_argument("--sentences", type=Path, required=True, help="folder of the sentence encoder")
    parser.add_argument("--n", type=int, default=1000)
    parser.add_argument("--out", type=Path, default=Path("results"))
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)

    command = f"python -m benchmarks.captions {shlex.join(sys.argv[1:])}"
    content = read(options.checkpoint)
    content = content.get("state", content)
    model = f"{options.name}@{hashlib.sha256(options.checkpoint.read_bytes()).hexdigest()[:12]}"
    by_name = dict(read_captions(options.captions))
    names = read_names([options.data])[: options.n]
    captions = [by_name[name] for name in names]
    tower = open_weights(options.checkpoint, "auto")
    images = tower.embed(read_pictures([options.data], tower.size, options.n))
    changes = choose_changes(captions)
    everything = [text for texts in captions for text in texts]
    both = [*everything, *(true for _, true, _ in changes), *(changed for _, _, changed in changes)]
    texts = project(content, embed_sentences(options.sentences, both))
    shows = np.repeat(np.arange(len(names)), [len(found) for found in captions])
    true, changed = np.split(texts[len(everything) :], 2)
    rows = list(retrieval_rows(images, texts[: len(everything)], shows))
    record(options.out, "retrieval", model, command, options.seed, len(names), rows)
    shown = images[[index for index, _, _ in changes]]
    rows = [
        *change_rows(shown, true, changed, options.seed),
        *message_rows(shown, true, options.seed),
    ]
    record(options.out, "captions", model, command, options.seed, len(changes), rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
