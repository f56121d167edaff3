"""Training the self-supervised baselines: every method gets its steps, and what each view may know of the other."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from benchmarks.baselines.embedding import open_embedder
from benchmarks.baselines.saving import save
from benchmarks.baselines.ssl.methods import METHODS, build
from benchmarks.baselines.ssl.train import train_one
from benchmarks.baselines.ssl.training import SslSettings
from torch import Tensor, nn

from tiacam.features.anchor import EMBEDDING
from tiacam.features.efficientnet import EfficientNetLite0

PIXELS = torch.randint(256, (12, 64, 64, 3), dtype=torch.uint8, generator=torch.Generator().manual_seed(0))


class Flat(nn.Module):
    """Tiny pictures as they are, in the tower's number of numbers."""

    def forward(self, pictures: Tensor) -> Tensor:
        return nn.functional.pad(pictures.flatten(1), (0, EMBEDDING - pictures[0].numel()))


def pictures(seed: int) -> Tensor:
    return torch.rand((8, 3, 4, 4), generator=torch.Generator().manual_seed(seed))


def test_byol_normalises_each_view_by_itself() -> None:
    """In one batch, two points, one for pictures and one for captures, would satisfy loss and normalisation."""
    method = build("byol", Flat())  # type: ignore[arg-type]
    predictions: list[Tensor] = []
    method.predictor.register_forward_hook(lambda *call: predictions.append(call[-1].detach()))  # type: ignore[union-attr]
    method(pictures(0), pictures(1))
    method(pictures(0), pictures(2))
    of_clean, of_captured, again, of_others = predictions
    torch.testing.assert_close(of_clean, again)
    assert not torch.allclose(of_captured, of_others)


@pytest.mark.parametrize("name", METHODS)
def test_a_method_learns_for_its_steps_whatever_time_they_take(name: str, tmp_path: Path) -> None:
    settings = SslSettings(seconds=0.0, steps=2, size=32, batch=6, half=False, log_every=1)
    found = train_one(name, EfficientNetLite0().state_dict(), PIXELS, settings, shown=32)
    assert [line["step"] for line in found["curve"]] == [1, 2]
    save(tmp_path / f"{name}.pt", found)
    model = open_embedder(str(tmp_path / f"{name}.pt"), "cpu")
    assert (model.size, model.training["steps"]) == (32, 2)
    features = model.embed(PIXELS[:3, :32, :32].numpy())
    assert torch.from_numpy(features).norm(dim=1).tolist() == pytest.approx([1, 1, 1], abs=1e-3)
