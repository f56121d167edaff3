"""The text side beside a backbone that stays: sentences find their pictures, and one seed gives one projection."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional

from tiacam.training.text_fitting import Sentences, TextSettings, fit_text

SETTINGS = TextSettings(steps=150, batch=64, rate=3e-3)


def material(seed: int, count: int = 96) -> tuple[Tensor, Sentences]:
    """Pictures whose embeddings follow from what their two sentences have in common."""
    generator = torch.Generator().manual_seed(seed)
    meant = torch.randn(count, 24, generator=generator)
    turn = torch.randn(24, 768, generator=torch.Generator().manual_seed(99))
    vectors = meant.repeat_interleave(2, 0) + 0.2 * torch.randn(2 * count, 24, generator=generator)
    return meant @ turn, Sentences(vectors, 2 * torch.arange(count), torch.full((count,), 2))


def test_sentences_find_pictures_that_were_not_fitted() -> None:
    text = fit_text(*material(0), SETTINGS)
    images, sentences = material(1)
    with torch.no_grad():
        cosines = text(sentences.vectors[0::2]) @ functional.normalize(images).T
    assert (cosines.argmax(dim=1) == torch.arange(len(images))).float().mean() > 0.5


def test_one_seed_gives_one_projection() -> None:
    short = TextSettings(steps=5, batch=16)
    first, second = (fit_text(*material(0), short).state_dict() for _ in range(2))
    assert all(torch.equal(first[name], second[name]) for name in first)


def test_every_picture_gets_one_of_its_own_sentences() -> None:
    vectors = torch.arange(7.0)[:, None]
    sentences = Sentences(vectors, torch.tensor([0, 3, 4]), torch.tensor([3, 1, 3]))
    drawn = torch.cat(
        [sentences.choose(torch.tensor([0, 1, 2]), torch.Generator().manual_seed(k)) for k in range(40)], 1
    )
    assert set(drawn[0].tolist()) == {0, 1, 2}
    assert set(drawn[1].tolist()) == {3}
    assert set(drawn[2].tolist()) == {4, 5, 6}
