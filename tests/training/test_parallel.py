"""Two processes on the CPU train one model."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from tiacam.training.parallel import Team
from tiacam.training.tiacam import CHECKPOINT, CURVE

ROOT = Path(__file__).parent.parent.parent


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("torchrun")
    launcher = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
    subprocess.run(
        [*launcher, "-m", "tests.training.parallel_child", str(out)],
        cwd=ROOT,
        env={**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": f"{ROOT}:{ROOT / 'src'}"},
        check=True,
        timeout=300,
    )
    return out


def test_both_processes_end_with_the_same_model_and_saw_different_pictures(finished: Path) -> None:
    first, second = (torch.load(finished / f"process-{rank}.pt", weights_only=True) for rank in (0, 1))
    for name, state in first["states"].items():
        for key, value in state.items():
            assert torch.equal(value, second["states"][name][key]), f"{name} {key}"
    assert not set(first["seen"][0]) & set(second["seen"][0])


def test_means_are_taken_over_all_processes(finished: Path) -> None:
    for rank in (0, 1):
        mean = torch.load(finished / f"process-{rank}.pt", weights_only=True)["mean"]
        assert mean.tolist() == [0.5, 2.0]


def test_one_process_writes_the_checkpoint_and_each_its_curve(finished: Path) -> None:
    names = {path.name for path in finished.iterdir()}
    assert {CHECKPOINT, CURVE, "tiacam-1.csv", "anchor.pt", "anchor.csv", "anchor-1.csv"} <= names


def test_a_process_alone_needs_no_launcher(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("RANK", "WORLD_SIZE", "LOCAL_RANK"):
        monkeypatch.delenv(name, raising=False)
    team = Team.from_environment()
    assert (team.rank, team.world, team.leads) == (0, 1, True)
    assert team.agree(True, torch.device("cpu"))
