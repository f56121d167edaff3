"""Pretraining: pairs, a run that learns, a run that resumes, and the whole from shards to a record."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch

from tiacam.augment import ORDER, Additive, Compression, Distortion, Filtering
from tiacam.augment.networks import SpreadFunction
from tiacam.errors import DataError
from tiacam.training.augmentor import AugmentorRun, load_augmentor, pretrain_augmentor
from tiacam.training.pairs import Pairs, make_pairs
from tiacam.training.pretraining import Pretraining, PretrainSettings, measure

from .pictures import small_pictures, write_tar

CPU = torch.device("cpu")


def lens_module() -> Filtering:
    torch.manual_seed(0)
    return Filtering(SpreadFunction(5))


def lens_pairs(count: int = 24) -> Pairs:
    return make_pairs(lens_module(), small_pictures(6, 32), count, 0, CPU)


def test_pairs_use_every_picture_and_repeat_for_the_same_seed() -> None:
    pairs, again = lens_pairs(), lens_pairs()
    assert len(pairs) == 24
    assert torch.equal(pairs.targets, again.targets)
    shown = {tuple(picture.flatten()[:20].tolist()) for picture in pairs.pictures[:6]}
    assert len(shown) == 6


def test_training_and_held_out_pairs_are_drawn_apart() -> None:
    pixels = small_pictures(6, 32)
    train = make_pairs(Additive(), pixels, 6, 0, CPU)
    heldout = make_pairs(Additive(), pixels, 6, 0, CPU, "heldout")
    assert not torch.equal(train.params.strength.new_tensor([0.0]), heldout.params.strength)
    assert not torch.equal(train.params.white, heldout.params.white)  # type: ignore[attr-defined]


def test_qualities_of_real_codecs_are_whole_numbers() -> None:
    params = make_pairs(Compression(), small_pictures(6, 32), 6, 0, CPU).params
    assert torch.equal(params.quality, params.quality.round())  # type: ignore[attr-defined]


def test_a_run_brings_the_module_closer_to_the_real_distortion(tmp_path: Path) -> None:
    module, pairs = lens_module(), lens_pairs(48)
    before = measure(module, pairs)
    Pretraining(module, pairs, PretrainSettings(150, batch=16, learning_rate=1e-3), tmp_path, seed=0).run()
    after = measure(module, pairs)
    assert after.psnr > before.psnr + 2
    assert after.ssim > before.ssim
    assert measure(None, pairs).psnr < before.psnr


def run_lens(folder: Path, stop_after: int | None = None) -> Distortion[object]:  # type: ignore[type-var]
    """Ten steps, or as many as are left after an earlier stop."""
    module = lens_module()
    run = Pretraining(module, lens_pairs(), PretrainSettings(10, batch=8, save_every=5), folder, seed=0)
    run.resume()
    for step in range(run.step, stop_after or 10):
        run.update(step)
        run.step = step + 1
    run.save()
    return module  # type: ignore[return-value]


def test_a_resumed_run_ends_where_an_unbroken_one_does(tmp_path: Path) -> None:
    unbroken = run_lens(tmp_path / "a")
    run_lens(tmp_path / "b", stop_after=5)
    resumed = run_lens(tmp_path / "b")
    for name, value in unbroken.state_dict().items():
        assert torch.equal(value, resumed.state_dict()[name]), name


def test_the_rate_rises_and_falls() -> None:
    settings = PretrainSettings(1000)
    rates = [settings.rate(step) for step in (0, 99, 500, 999)]
    assert rates[0] < 0.02
    assert rates[1] > 0.95
    assert rates[1] > rates[2] > rates[3] > 0


def test_settings_refuse_a_run_of_no_steps() -> None:
    with pytest.raises(ValueError, match="positive"):
        PretrainSettings(0)


def tiny_run(folder: Path, resume: bool = False) -> AugmentorRun:
    return AugmentorRun(
        data=folder,
        heldout=folder / "heldout.tar",
        out=folder / "out",
        settings={name: PretrainSettings(2, batch=2) for name in ORDER},
        device=CPU,
        width=4,
        size=32,
        pairs=4,
        heldout_pairs=5,
        resume=resume,
        command="test",
    )


def test_the_whole_run_leaves_weights_curves_and_a_record(tmp_path: Path) -> None:
    write_tar(tmp_path / "shard-00.tar", small_pictures(4, 40))
    write_tar(tmp_path / "heldout.tar", small_pictures(5, 40))
    rows = pretrain_augmentor(tiny_run(tmp_path))
    record = json.loads((tmp_path / "out" / "augmentor.json").read_text())
    assert [row["name"] for row in record["rows"]] == list(ORDER)
    assert {"psnr", "ssim", "psnr_none", "ssim_none", "psnr_before", "n"} <= set(record["rows"][0])
    assert len((tmp_path / "out" / "curves.csv").read_text().splitlines()) > 6
    assert pretrain_augmentor(tiny_run(tmp_path, resume=True)) == rows  # nothing is trained twice
    augmentor = load_augmentor(tmp_path / "out")
    image = torch.rand(2, 3, 32, 32)
    assert augmentor(image, augmentor.sample(image.shape, torch.Generator())).shape == image.shape


def test_a_folder_without_weights_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"no NAME\.pt"):
        load_augmentor(tmp_path)
