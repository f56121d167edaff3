"""The augmentor's step on Eq. 4: it raises L_inv, respects L_sem's bound, and leaves the extractor alone."""

from __future__ import annotations

import math

import pytest
import torch
from torch import Tensor, nn

from tiacam.augment.adversarial import AscentSettings, ascend, play
from tiacam.augment.augmentor import AutoAugmentor
from tiacam.augment.losses import augmentor_objective, invariance_loss, semantic_loss

from .small import dice, pictures


class TinyEncoder(nn.Module):
    """Two convolutions; the features of both are the layers E_i."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = nn.Conv2d(3, 8, 5, stride=2), nn.Conv2d(8, 16, 3, stride=2)

    def forward(self, image: Tensor) -> list[Tensor]:
        shallow = torch.relu(self.first(image - 0.5))
        return [shallow, torch.relu(self.second(shallow))]


class TinyExtractor(nn.Module):
    """A feature with batch statistics, as the real one has."""

    def __init__(self) -> None:
        super().__init__()
        self.encoder, self.norm, self.head = TinyEncoder(), nn.BatchNorm1d(64), nn.Linear(64, 24)

    def forward(self, image: Tensor) -> Tensor:
        pooled = nn.functional.adaptive_avg_pool2d(self.encoder(image)[1], 2).flatten(1)
        return self.head(self.norm(pooled))  # type: ignore[no-any-return]


def players() -> tuple[AutoAugmentor, TinyExtractor, TinyEncoder, torch.optim.Optimizer]:
    torch.manual_seed(0)
    augmentor, extractor = AutoAugmentor.build(None), TinyExtractor()
    with torch.no_grad():
        for seed in range(50):  # centre the features, without which all cosines are near one
            extractor(pictures(batch=16, seed=seed))
    return augmentor, extractor, TinyEncoder(), torch.optim.Adam(augmentor.parameters(), 0.02)


def test_invariance_loss_is_one_minus_the_cosine() -> None:
    original, distorted = torch.tensor([[1.0, 0.0], [3.0, 4.0]]), torch.tensor([[0.0, 2.0], [6.0, 8.0]])
    assert invariance_loss(distorted, original).item() == pytest.approx(0.5)
    assert invariance_loss(-original, original).item() == pytest.approx(2.0)


def test_semantic_loss_sums_over_the_layers() -> None:
    before = [torch.tensor([[1.0, 0.0]]), torch.tensor([[[1.0], [1.0]]])]
    after = [torch.tensor([[1.0, 1.0]]), torch.tensor([[[1.0], [0.0]]])]
    assert semantic_loss(before, after).item() == pytest.approx(2 * (1 - math.sqrt(0.5)))
    assert semantic_loss(before, before).item() == pytest.approx(0.0, abs=1e-6)


def test_the_objective_is_eq_4() -> None:
    assert augmentor_objective(torch.tensor(0.5), torch.tensor(0.2), 2.0).item() == pytest.approx(0.1)


def test_the_ascent_raises_the_invariance_loss_and_keeps_the_meaning_inside_its_bound() -> None:
    augmentor, extractor, encoder, optimizer = players()
    images, bound, generator = pictures(batch=16), 0.8, dice(1)
    extractor.eval()
    with torch.no_grad():
        before = play(augmentor, extractor, encoder, images, dice(99))
    settings = AscentSettings(semantic_weight=0.1, semantic_bound=bound)
    steps = [
        ascend(
            augmentor, extractor, encoder, images, optimizer=optimizer, generator=generator, settings=settings
        )
        for _ in range(40)
    ]
    with torch.no_grad():
        after = play(augmentor, extractor, encoder, images, dice(99))
    assert after.invariance > 1.5 * before.invariance
    assert after.semantic <= bound
    assert sum(step.semantic.item() for step in steps[-20:]) / 20 <= bound


def test_a_tight_bound_makes_the_augmentor_gentler() -> None:
    augmentor, extractor, encoder, optimizer = players()
    images, generator = pictures(batch=16), dice(1)
    settings = AscentSettings(semantic_bound=0.3)
    first, *_, last = [
        ascend(
            augmentor, extractor, encoder, images, optimizer=optimizer, generator=generator, settings=settings
        )
        for _ in range(40)
    ]
    assert last.semantic < first.semantic


def test_the_extractor_gets_no_gradient_and_keeps_its_weights_and_statistics() -> None:
    augmentor, extractor, encoder, optimizer = players()
    before = {name: value.clone() for name, value in extractor.state_dict().items()}
    ascend(augmentor, extractor, encoder, pictures(), optimizer=optimizer, generator=dice())
    assert extractor.training
    assert all(parameter.grad is None for parameter in [*extractor.parameters(), *encoder.parameters()])
    assert all(torch.equal(value, before[name]) for name, value in extractor.state_dict().items())


def test_after_a_huge_step_every_parameter_is_inside_its_limits() -> None:
    augmentor, extractor, encoder, _ = players()
    optimizer = torch.optim.SGD(augmentor.parameters(), 1e6)
    ascend(augmentor, extractor, encoder, pictures(), optimizer=optimizer, generator=dice())
    for name, parameter in augmentor.named_parameters():
        assert torch.equal(parameter, parameter.clamp(0.0, 1.0)), name


def test_settings_refuse_a_negative_weight() -> None:
    with pytest.raises(ValueError, match="positive"):
        AscentSettings(semantic_weight=-1.0)
