"""Checkpoints, curves, seeds, devices and records."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch

from tiacam.errors import DataError, UsageError
from tiacam.training.checkpoint import Checkpoint
from tiacam.training.curves import CurveWriter, merge_curves, read_curve
from tiacam.training.devices import describe_device, pick_device
from tiacam.training.record import write_record
from tiacam.training.seeds import derive_seed, numpy_generator, torch_generator


def test_a_checkpoint_comes_back_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "run.pt"
    assert Checkpoint.latest(path) is None
    Checkpoint(7, {"weights": {"a": torch.arange(3)}}).save(path)
    found = Checkpoint.latest(path)
    assert found is not None
    assert found.step == 7
    assert torch.equal(found.state["weights"]["a"], torch.arange(3))
    assert not list(path.parent.glob("*.partial"))


def test_a_damaged_checkpoint_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "run.pt"
    path.write_bytes(b"not a checkpoint")
    with pytest.raises(DataError, match="no checkpoint"):
        Checkpoint.latest(path)


def test_a_resumed_curve_drops_what_will_be_run_again(tmp_path: Path) -> None:
    path = tmp_path / "curve.csv"
    with CurveWriter(path, ("loss",)) as curve:
        for step in range(5):
            curve.write(step, {"loss": 1 / (step + 1)})
    with CurveWriter(path, ("loss",), resume_step=3) as curve:
        curve.write(3, {"loss": 9.0})
    assert [(row["step"], row["loss"]) for row in read_curve(path)][2:] == [
        (2, pytest.approx(1 / 3)),
        (3, 9.0),
    ]


def test_curves_merge_under_their_names(tmp_path: Path) -> None:
    for name in ("a", "b"):
        with CurveWriter(tmp_path / f"{name}.csv", ("loss",)) as curve:
            curve.write(0, {"loss": 0.5})
    merge_curves({name: tmp_path / f"{name}.csv" for name in ("a", "b")}, tmp_path / "all.csv")
    assert (tmp_path / "all.csv").read_text().splitlines() == ["name,step,loss", "a,0,0.5", "b,0,0.5"]


def test_seeds_belong_to_a_purpose() -> None:
    assert derive_seed(0, "order", 1) == derive_seed(0, "order", 1)
    assert len({derive_seed(0, "order", 1), derive_seed(0, "order", 2), derive_seed(1, "order", 1)}) == 3
    assert torch.rand(1, generator=torch_generator(3, "x")) == torch.rand(
        1, generator=torch_generator(3, "x")
    )
    assert numpy_generator(3, "x").random() == numpy_generator(3, "x").random()


def test_auto_is_a_device_that_exists() -> None:
    assert torch.zeros(1, device=pick_device()).item() == 0
    assert describe_device(torch.device("cpu")) == "cpu"


def test_a_gpu_that_is_not_there_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(UsageError, match="no GPU"):
        pick_device("cuda")


def test_a_record_says_what_was_run(tmp_path: Path) -> None:
    write_record(tmp_path / "r.json", [{"name": "a"}], command="x", seed=1, device="cpu", n=2)
    record = json.loads((tmp_path / "r.json").read_text())
    assert set(record) == {"command", "commit", "seed", "versions", "device", "n", "rows"}
    assert record["rows"] == [{"name": "a"}]
    assert "torch" in record["versions"]
