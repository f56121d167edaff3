"""The extractor and the discriminator as S5 prints them."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from tiacam.features.discriminator import Discriminator, DiscriminatorSettings
from tiacam.features.extractor import Extractor, ExtractorSettings, ResidualBlock

SMALL = DiscriminatorSettings(inputs=12, hidden=16, heads=4)


def widths(module: nn.Module) -> list[tuple[int, int]]:
    return [(m.in_features, m.out_features) for m in module.modules() if isinstance(m, nn.Linear)]


def test_the_extractor_has_the_printed_layers() -> None:
    extractor = Extractor()
    hidden = [(1024, 1024)] * 7  # two in each of three blocks, one in the fusion block
    assert widths(extractor) == [(768, 1024), *hidden, (1024, 512), (512, 1024)]
    norms = [m.num_features for m in extractor.modules() if isinstance(m, nn.BatchNorm1d)]
    assert norms == [1024] * 8 + [512, 1024]
    assert {m.p for m in extractor.modules() if isinstance(m, nn.Dropout)} == {0.1}
    assert isinstance(extractor.project[-1], nn.BatchNorm1d)


def test_a_residual_block_adds_its_input_before_the_last_relu() -> None:
    block = ResidualBlock(4, 0.1).eval()
    for layer in (block.second[0], block.second[1]):
        nn.init.zeros_(layer.weight)
        nn.init.zeros_(layer.bias)
    hidden = torch.tensor([[1.0, -2.0, 3.0, 0.0]])
    assert torch.equal(block(hidden), torch.tensor([[1.0, 0.0, 3.0, 0.0]]))


@pytest.mark.parametrize("normalised", [True, False])
def test_unit_length_is_optional(normalised: bool) -> None:
    torch.manual_seed(0)
    extractor = Extractor(ExtractorSettings(16, 32, 8, 24, normalised=normalised)).train()
    lengths = extractor(torch.randn(6, 16)).norm(dim=1)
    assert torch.allclose(lengths, torch.ones(6), atol=1e-5) == normalised


def test_the_discriminator_has_the_printed_layers() -> None:
    discriminator = Discriminator()
    assert (discriminator.project.in_features, discriminator.project.out_features) == (1024, 512)
    assert len(discriminator.blocks) == 4
    attention = [m for m in discriminator.modules() if isinstance(m, nn.MultiheadAttention)]
    assert [m.num_heads for m in attention] == [8] * 4
    assert sum(isinstance(m, nn.GELU) for m in discriminator.modules()) == 4
    assert discriminator.head.out_features == 2


def test_one_projection_serves_the_picture_and_the_narrower_caption() -> None:
    torch.manual_seed(0)
    discriminator = Discriminator(SMALL).eval()
    feature, caption = torch.randn(3, 12), torch.randn(3, 8)
    padded = torch.cat([caption, torch.zeros(3, 4)], dim=1)
    assert discriminator(feature, caption).shape == (3, 2)
    assert torch.equal(discriminator(feature, caption), discriminator(feature, padded))


def test_the_discriminator_can_learn_which_pairs_match() -> None:
    torch.manual_seed(0)
    discriminator = Discriminator(SMALL)
    feature = torch.randn(64, 12)
    caption, wrong = feature[:, :8], feature.roll(1, 0)[:, :8]
    target = torch.tensor([1] * 64 + [0] * 64)
    optimizer = torch.optim.Adam(discriminator.parameters(), 3e-3)
    for _ in range(150):
        logits = discriminator(feature.repeat(2, 1), torch.cat([caption, wrong]))
        loss = nn.functional.cross_entropy(logits, target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    discriminator.eval()
    found = discriminator(feature.repeat(2, 1), torch.cat([caption, wrong])).argmax(1)
    assert (found == target).float().mean() > 0.9


def test_settings_that_cannot_be_built_are_refused() -> None:
    with pytest.raises(ValueError, match="divide"):
        DiscriminatorSettings(hidden=10, heads=4)
    with pytest.raises(ValueError, match="positive"):
        ExtractorSettings(blocks=0)
    with pytest.raises(ValueError, match="share"):
        ExtractorSettings(dropout=1.0)
