"""The text-anchored stage on a tiny scale: who moves when, what a run leaves, and how it goes on."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import torch
from torch import Tensor, nn

from tiacam.augment import ManualAugmentor
from tiacam.errors import DataError, TrainingError
from tiacam.training.curves import read_curve
from tiacam.training.tiacam import CHECKPOINT, COLUMNS, CURVE, TiacamSettings, TiacamTrainer
from tiacam.training.tiacam_game import GameSettings
from tiacam.training.vitals import Alarm

from .tiacam_runs import GAME, tiny_trainer


def weights(module: nn.Module) -> list[Tensor]:
    return [parameter.detach().clone() for parameter in module.parameters()]


def moved(trainer: TiacamTrainer, update: str) -> set[str]:
    """Which players' parameters a single update changed."""
    generator = trainer.dealer.generator(0)
    batch = trainer.dealer.deal(0, trainer.game.augmentor, generator)
    before = {name: weights(player) for name, player in trainer.players.items()}
    arguments = (batch, generator) if update == "update_augmentor" else (batch,)
    getattr(trainer.game, update)(*arguments)
    return {
        name
        for name, player in trainer.players.items()
        if any(not torch.equal(a, b) for a, b in zip(before[name], weights(player), strict=True))
    }


@pytest.mark.parametrize("player", ["discriminator", "augmentor", "extractor"])
def test_each_update_moves_its_own_player_alone(player: str) -> None:
    assert moved(tiny_trainer(), f"update_{player}") == {player}


def test_the_augmentor_stands_still_where_it_does_not_play() -> None:
    assert moved(tiny_trainer(game=replace(GAME, ascent=False)), "update_augmentor") == set()
    assert moved(tiny_trainer(augmentor=ManualAugmentor.build()), "update_augmentor") == set()


def test_without_captions_the_discriminator_sits_out_and_the_extractor_still_learns() -> None:
    trainer = tiny_trainer(game=replace(GAME, adversarial_weight=0.0))
    assert moved(trainer, "update_discriminator") == set()
    assert moved(trainer, "update_extractor") == {"extractor"}


def test_in_the_head_start_the_discriminator_plays_alone() -> None:
    trainer = tiny_trainer()
    trainer.settings = replace(trainer.settings, head_start=2)
    before = {name: weights(player) for name, player in trainer.players.items()}
    for _ in range(2):
        trainer.advance()
    still = {
        name: all(torch.equal(a, b) for a, b in zip(before[name], weights(player), strict=True))
        for name, player in trainer.players.items()
    }
    assert still == {"extractor": True, "discriminator": False, "augmentor": True}
    trainer.advance()
    assert not torch.equal(weights(trainer.game.extractor)[0], before["extractor"][0])


def test_the_augmentor_stays_inside_its_limits_after_large_steps() -> None:
    trainer = tiny_trainer(game=replace(GAME, range_rate=5.0))
    trainer.advance()
    for name in trainer.game.augmentor.chain:
        for learnable in trainer.game.augmentor.distortion(name).ranges().values():
            assert 0 <= learnable.ends[0] < learnable.ends[1] <= 1


def test_updates_of_the_extractor_bring_distorted_pictures_nearer() -> None:
    trainer = tiny_trainer(game=replace(GAME, adversarial_weight=0.0, ascent=False))
    batch = trainer.dealer.deal(0, trainer.game.augmentor, trainer.dealer.generator(0))
    first = trainer.game.update_extractor(batch).invariance
    for _ in range(80):
        last = trainer.game.update_extractor(batch).invariance
    assert last < 0.7 * first


def test_every_log_line_carries_the_signs_of_life(tmp_path: Path) -> None:
    tiny_trainer(steps=5).run(tmp_path)
    curve = read_curve(tmp_path / CURVE)
    assert [row["step"] for row in curve] == [2, 4, 5]
    assert set(curve[0]) == {"step", *COLUMNS}
    assert {"genuine", "impostor", "accuracy", "rank"} <= set(COLUMNS)
    assert all(0 <= row["accuracy"] <= 1 and row["rank"] >= 1 for row in curve)


def test_a_resumed_run_ends_bit_for_bit_where_an_unbroken_one_does(tmp_path: Path) -> None:
    unbroken = tiny_trainer(6)
    unbroken.run(tmp_path / "a")
    tiny_trainer(4).run(tmp_path / "b")
    resumed = tiny_trainer(6)
    resumed.run(tmp_path / "b")
    for name, player in unbroken.players.items():
        for key, value in player.state_dict().items():
            assert torch.equal(value, resumed.players[name].state_dict()[key]), f"{name} {key}"
    assert (tmp_path / "a" / CURVE).read_text() == (tmp_path / "b" / CURVE).read_text()


def test_an_interrupted_run_loses_at_most_one_interval(tmp_path: Path) -> None:
    trainer = tiny_trainer(100)
    advance, calls = trainer.advance, iter(range(7))

    def interrupted() -> object:
        if next(calls, None) is None:
            raise KeyboardInterrupt
        return advance()

    trainer.advance = interrupted  # type: ignore[method-assign,assignment]
    with pytest.raises(KeyboardInterrupt):
        trainer.run(tmp_path)
    again = tiny_trainer(100)
    again.resume(tmp_path / CHECKPOINT)
    assert again.step == 6


def test_a_run_stops_when_its_time_is_over(tmp_path: Path) -> None:
    trainer = tiny_trainer(10**6)
    trainer.run(tmp_path, until=0.0)
    assert trainer.step == 0


def test_a_collapsed_run_stops_with_a_message(tmp_path: Path) -> None:
    trainer = tiny_trainer(alarm=Alarm(least_rank=1e6, grace=3))
    with pytest.raises(TrainingError, match="step 4: the features collapsed"):
        trainer.run(tmp_path)
    assert len(read_curve(tmp_path / CURVE)) == 2  # what led there is on disk


def test_batches_cover_every_picture_before_any_comes_again() -> None:
    dealer = tiny_trainer().dealer
    seen = torch.cat([dealer.choose(step) for step in range(3)])
    assert sorted(seen.tolist()) == list(range(24))
    assert not torch.equal(dealer.choose(0), dealer.choose(3))


def test_a_file_that_is_no_checkpoint_is_an_error(tmp_path: Path) -> None:
    (tmp_path / CHECKPOINT).write_bytes(b"nothing of the kind")
    with pytest.raises(DataError, match="no checkpoint"):
        tiny_trainer().run(tmp_path)


def test_settings_that_mean_nothing_are_refused() -> None:
    with pytest.raises(ValueError, match="positive"):
        TiacamSettings(steps=0)
    with pytest.raises(ValueError, match="negative"):
        GameSettings(adversarial_weight=-1.0)
