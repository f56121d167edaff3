"""Training, interrupting and exporting a locator, in small."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from tiacam.errors import ModelFileError
from tiacam.features.efficientnet import EfficientNetLite0
from tiacam.features.locator import SIZE, LocatorNetwork, ShippedLocator, read_cells
from tiacam.image import load
from tiacam.locate import Locator, load_locator
from tiacam.training.curves import read_curve
from tiacam.training.locator import LocatorSettings, LocatorTrainer
from tiacam.training.locator_shipping import ship_locator

SMALL = LocatorSettings(steps=4, batch=2, size=64, log_every=1, save_every=2, compiled=False)


@pytest.fixture(scope="module")
def pixels() -> NDArray[np.uint8]:
    return np.random.default_rng(0).integers(0, 256, (6, 32, 32, 3), np.uint8)


@pytest.fixture(scope="module")
def network() -> LocatorNetwork:
    torch.manual_seed(0)
    return LocatorNetwork().eval()


@pytest.fixture(scope="module")
def shipped(network: LocatorNetwork, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("locator")
    ship_locator(network, "untrained", "for tests", {"steps": 0}, folder)
    return folder / "untrained.json"


def trainer(pixels: NDArray[np.uint8], settings: LocatorSettings = SMALL) -> LocatorTrainer:
    torch.manual_seed(0)
    return LocatorTrainer(LocatorNetwork(), pixels, settings, torch.device("cpu"))


def test_an_interrupted_run_goes_on_as_if_it_had_not_stopped(
    pixels: NDArray[np.uint8], tmp_path: Path
) -> None:
    whole = trainer(pixels)
    whole.run(tmp_path / "whole")
    first = trainer(pixels)
    for _ in range(2):
        first.advance()
    first.save(tmp_path / "parts")
    second = trainer(pixels)
    second.run(tmp_path / "parts")
    assert second.step == 4
    for ours, theirs in zip(second.averaged.parameters(), whole.averaged.parameters(), strict=True):
        assert torch.allclose(ours, theirs, atol=1e-6)
    assert [row["step"] for row in read_curve(tmp_path / "whole" / "locator.csv")] == [1, 2, 3, 4]


def test_a_run_ends_when_its_time_is_up(pixels: NDArray[np.uint8], tmp_path: Path) -> None:
    short = trainer(pixels, replace(SMALL, steps=10_000, seconds=0.01))
    short.run(tmp_path)
    assert short.step == 1


def test_the_learning_rate_rises_and_falls() -> None:
    rates = [SMALL.rate_at(progress) for progress in (0.0, 0.03, 0.5, 1.0)]
    assert rates[0] < rates[2] < rates[1] == SMALL.rate
    assert rates[3] < rates[0]


def test_the_network_starts_from_lite0s_stages() -> None:
    lite, network = EfficientNetLite0(), LocatorNetwork()
    network.load_lite0(lite)
    assert torch.equal(network.stem.weight, lite.stem.weight)
    theirs, ours = lite.state_dict(), network.state_dict()
    assert torch.equal(ours["blocks.14.project.weight"], theirs["blocks.14.project.weight"])


def test_offsets_are_counted_from_each_cells_own_middle() -> None:
    cells = read_cells(torch.zeros(1, 17, 4, 4))
    assert cells.corners[0, 1, 2, 0].tolist() == pytest.approx([0.625, 0.375])


def test_the_exported_file_answers_like_the_network(network: LocatorNetwork, shipped: Path) -> None:
    locator = load_locator(shipped, threads=1)
    photos = np.random.default_rng(1).integers(0, 256, (2, SIZE, SIZE, 3), np.uint8)
    with torch.no_grad():
        wanted = ShippedLocator(network)(torch.from_numpy(photos)).numpy()
    assert locator.answer(photos) == pytest.approx(wanted, abs=0.02)
    assert locator.card.training["onnx_against_torch"] < 0.02


def test_the_file_is_small_enough_to_ship(shipped: Path) -> None:
    assert shipped.with_suffix(".onnx").stat().st_size < 6 * 2**20


def test_a_damaged_locator_is_refused(shipped: Path, tmp_path: Path) -> None:
    card, content = shipped.read_bytes(), bytearray(shipped.with_suffix(".onnx").read_bytes())
    content[1000] ^= 1
    (tmp_path / shipped.name).write_bytes(card)
    with pytest.raises(ModelFileError, match="cannot read"):
        load_locator(tmp_path / shipped.name)
    (tmp_path / shipped.with_suffix(".onnx").name).write_bytes(bytes(content))
    with pytest.raises(ModelFileError, match="sha256"):
        load_locator(tmp_path / shipped.name)
    (tmp_path / shipped.name).write_text('{"format": "something else"}')
    with pytest.raises(ModelFileError, match="no locator card"):
        load_locator(tmp_path / shipped.name)


def test_many_photos_are_answered_like_each_alone(
    shipped: Path, pictures: dict[str, NDArray[np.uint8]]
) -> None:
    locator: Locator = load_locator(shipped, threads=1)
    photos = [load(pixels) for pixels in pictures.values()]
    together = locator.locate_many(photos, least_confidence=0.0)
    assert together == [locator.locate(photo, least_confidence=0.0) for photo in photos]
    assert locator.locate_many([]) == []
