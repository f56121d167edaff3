"""Pictures, and ways of running the command: in this process, or in one of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tiacam

PICTURES = Path(tiacam.__file__).parent / "cli" / "pictures"
COFFEE, ROCKET, HORSE = (PICTURES / f"{name}.jpg" for name in ("coffee", "rocket", "horse"))


@dataclass(frozen=True)
class Outcome:
    """How a command ended, and what it wrote."""

    code: int
    out: str
    err: str

    @property
    def objects(self) -> list[dict[str, Any]]:
        """What `--json` printed: one object a line and nothing else."""
        return [json.loads(line) for line in self.out.splitlines()]


def call(main: Callable[[Sequence[str]], int], arguments: Iterable[object]) -> int:
    try:
        return main([str(argument) for argument in arguments])
    except SystemExit as stop:  # how argparse ends
        return int(stop.code or 0)


def command(*arguments: object) -> list[str]:
    return [sys.executable, "-m", "tiacam.cli", *map(str, arguments)]


def environment(**changes: object) -> dict[str, str]:
    """This process's surroundings without a registry in them, and with one thread for the model."""
    kept = {name: value for name, value in os.environ.items() if name != "TIACAM_REGISTRY"}
    return kept | {"OMP_NUM_THREADS": "1"} | {name: str(value) for name, value in changes.items()}


def run_apart(*arguments: object, **options: Any) -> Outcome:
    """The command in a process of its own, as a shell would run it."""
    done = subprocess.run(
        command(*arguments),
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        **({"env": environment()} | options),
    )
    return Outcome(done.returncode, done.stdout, done.stderr)
