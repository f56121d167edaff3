"""The backbone's training on a tiny scale: steps, resumption, batches of look-alikes, captions."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from torch.nn import functional

from tiacam.data import match_captions, save_embeddings
from tiacam.errors import DataError, UsageError
from tiacam.features.anchor import ImageTower
from tiacam.training.anchor import AnchorTrainer, Captions, effective_rank
from tiacam.training.anchor_settings import AnchorSettings, Pace
from tiacam.training.curves import read_curve
from tiacam.training.mining import group_alike
from tiacam.training.parallel import Team

TINY = AnchorSettings(
    steps=3,
    batch=8,
    warm_up=1,
    sizes=((0.0, 32), (0.5, 64)),
    mine_every=2,
    group=2,
    log_every=1,
    save_every=1,
    compiled=False,
    textures=8,
    sprites=4,
    templates=2,
)

FRONT = (
    "backbone.stem",
    *(f"backbone.blocks.{index}." for index in range(3)),
)  # with two stages of 1 + 2 blocks


def trainer(settings: AnchorSettings = TINY, team: Team | None = None) -> AnchorTrainer:
    torch.manual_seed(0)
    pixels = np.random.default_rng(0).integers(0, 256, (16, 48, 48, 3), dtype=np.uint8)
    count = torch.tensor([2] * 8 + [0] * 8)
    captions = Captions(torch.randn(32, 384), torch.arange(16) * 2, count)
    return AnchorTrainer(ImageTower(), pixels, captions, settings, torch.device("cpu"), team or Team())


def test_a_run_writes_a_curve_and_a_checkpoint_and_goes_on_from_it(tmp_path: Path) -> None:
    first = trainer(AnchorSettings(**{**TINY.__dict__, "steps": 2}))
    first.run(tmp_path)
    assert [row["step"] for row in read_curve(tmp_path / "anchor.csv")] == [1, 2]
    second = trainer()
    second.run(tmp_path)
    assert second.step == 3
    assert [row["step"] for row in read_curve(tmp_path / "anchor.csv")][-1] == 3


@pytest.mark.parametrize("whitened", [0, 4])
def test_a_resumed_run_ends_bit_for_bit_where_an_unbroken_one_does(tmp_path: Path, whitened: int) -> None:
    """Stopped in the middle of an epoch, before and after mining, with batches still planned."""
    settings = replace(TINY, steps=4, mine_every=3, sizes=((0.0, 32),), whitened=whitened)
    unbroken = trainer(settings)
    unbroken.run(tmp_path / "a")
    for stop in (1, 2, 3):
        halted = trainer(settings)
        halted.resume(tmp_path / "b" / "anchor.pt")
        while halted.step < stop:
            halted.advance()
        halted.save(tmp_path / "b" / "anchor.pt")
    resumed = trainer(settings)
    resumed.run(tmp_path / "b")
    for part in ("tower", "averaged", "text", "whitening"):
        wanted, got = getattr(unbroken, part).state_dict(), getattr(resumed, part).state_dict()
        assert all(torch.equal(value, got[name]) for name, value in wanted.items()), part


def test_frozen_stages_keep_their_weights_and_statistics_while_the_others_learn() -> None:
    learner = trainer(replace(TINY, frozen=2))
    before = {name: value.clone() for name, value in learner.tower.state_dict().items()}
    learner.advance()
    changed = {
        name for name, value in learner.tower.state_dict().items() if not torch.equal(value, before[name])
    }
    front = [name for name in before if name.startswith(FRONT)]
    assert len(front) > 30
    assert changed.isdisjoint(front)
    assert {name for name in before if name.endswith("weight")} - set(front) <= changed


def test_all_epochs_until_the_next_mining_are_planned_from_the_same_features() -> None:
    learner = trainer(replace(TINY, mine_every=6))
    learner.step = 6
    planned = learner.plan_pictures().reshape(2, -1)  # 24 pictures, six batches of eight
    assert planned.sort(dim=1).values.tolist() == [list(range(24))] * 2


def test_the_curve_of_a_resumed_run_has_every_step_once(tmp_path: Path) -> None:
    trainer(replace(TINY, steps=2)).run(tmp_path)
    trainer().run(tmp_path)
    assert [row["step"] for row in read_curve(tmp_path / "anchor.csv")] == [1, 2, 3]


def test_several_processes_train_for_steps_and_not_for_a_time(tmp_path: Path) -> None:
    alone = trainer()
    alone.team = Team(rank=0, world=2)
    with pytest.raises(UsageError, match="--steps"):
        alone.run(tmp_path, until=time.time() + 1)


def test_the_size_and_the_rate_follow_the_schedule() -> None:
    settings = AnchorSettings(steps=100, warm_up=10, rate=1.0, sizes=((0.0, 160), (0.75, 224)))
    assert [settings.size_at(step) for step in (0, 74, 75, 99)] == [160, 160, 224, 224]
    assert settings.rate_at(0) == pytest.approx(0.1)
    assert settings.rate_at(10) == pytest.approx(1.0)
    assert settings.rate_at(100) == pytest.approx(0.01)


def test_only_pictures_with_captions_get_one_of_their_own() -> None:
    captions = Captions(torch.arange(6.0)[:, None], torch.tensor([0, 4, 4]), torch.tensor([4, 0, 2]))
    has, chosen = captions.choose(torch.tensor([0, 1, 2]), torch.Generator().manual_seed(0))
    assert has.tolist() == [True, False, True]
    assert chosen[0].item() in {0, 1, 2, 3}
    assert chosen[1].item() in {4, 5}


def test_runs_of_the_mined_order_are_neighbours_and_nothing_is_lost() -> None:
    generator = torch.Generator().manual_seed(0)
    centres = functional.normalize(torch.randn(4, 16, generator=generator))
    labels = torch.arange(4).repeat_interleave(96)
    noise = 0.05 * torch.randn(len(labels), 16, generator=generator)
    features = functional.normalize(centres[labels] + noise)
    order = group_alike(features, 8, generator)
    assert sorted(order.tolist()) == list(range(len(labels)))
    pure = (labels[order].reshape(-1, 8) == labels[order].reshape(-1, 8)[:, :1]).all(dim=1)
    assert pure.float().mean() > 0.7


def test_the_effective_rank_counts_the_directions_in_use() -> None:
    generator = torch.Generator().manual_seed(0)
    few = torch.randn(512, 4, generator=generator) @ torch.randn(4, 64, generator=generator)
    many = torch.randn(512, 64, generator=generator)
    assert effective_rank(few) < 5
    assert effective_rank(many) > 50


def test_caption_embeddings_are_matched_by_the_pictures_names(tmp_path: Path) -> None:
    path = tmp_path / "captions.npz"
    save_embeddings(path, ["b", "a", "b"], np.array([[1.0], [2.0], [3.0]], np.float32))
    table = match_captions(path, ["a", "b", "c"])
    assert table.count.tolist() == [1, 2, 0]
    assert table.embeddings[table.first[0], 0] == 2
    assert sorted(table.embeddings[table.first[1] : table.first[1] + 2, 0].tolist()) == [1, 3]
    with pytest.raises(DataError, match="none of the 1 pictures"):
        match_captions(path, ["z"])


def test_a_time_to_stop_becomes_a_number_of_steps() -> None:
    pace = Pace(until=time.time() + 1000)
    settings = AnchorSettings(log_every=5)
    assert pace.plan(settings, 0) == settings  # no speed is known yet
    assert pace.plan(settings, 3) == settings
    time.sleep(0.05)
    planned = pace.plan(settings, 5)
    assert 5 < planned.steps <= 5 + 1000 * 5 / 0.05
    assert Pace(until=None).plan(settings, 0) == settings
