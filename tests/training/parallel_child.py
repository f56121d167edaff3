"""One of several processes under torchrun: a few steps of both tiny runs; its weights go to a file of its own."""

from __future__ import annotations

import sys
from pathlib import Path

import torch

from tiacam.training.parallel import Team, average, joined

from .test_anchor import trainer as tiny_anchor
from .tiacam_runs import CPU, tiny_trainer


def main(out: Path) -> None:
    torch.set_num_threads(1)
    team = Team.from_environment()
    with joined(team, CPU):
        mean = torch.tensor([float(team.rank), 2.0])
        average([mean])
        trainer = tiny_trainer(4, team=team)
        seen = [trainer.dealer.choose(step).tolist() for step in range(2)]
        trainer.run(out)
        states = {name: player.state_dict() for name, player in trainer.players.items()}
        backbone = tiny_anchor(team=team)
        backbone.run(out)
        states["tower"] = backbone.tower.state_dict()
        torch.save({"mean": mean, "seen": seen, "states": states}, out / f"process-{team.rank}.pt")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
