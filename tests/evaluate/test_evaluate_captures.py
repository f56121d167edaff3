"""Simulated captures are made once, kept, and found again only for the very same order."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from tiacam.capture import Kind, Strength
from tiacam.evaluate.captures import ALONE, Darkroom, Order, make, read_corners
from tiacam.evaluate.shelf import Source


def an_order(samples: Path) -> Order:
    path = sorted(samples.glob("*.jpg"))[0]
    return Order(Source(path.name, path), Kind.SCREENSHOT, Strength.MILD, 3)


def test_a_kept_capture_is_the_one_that_was_made(samples: Path, tmp_path: Path) -> None:
    order = an_order(samples)
    made = Darkroom(tmp_path / "kept").develop([order])
    assert made == [make(order)]
    (path,) = (tmp_path / "kept").iterdir()
    path.write_bytes(path.read_bytes()[:64] + b"another photo")
    assert Darkroom(tmp_path / "kept").develop([order])[0][1] == b"another photo"
    assert Darkroom().develop([order]) == made
    assert read_corners(made[0][0]).shape == (4, 2)


def test_any_difference_is_another_capture(samples: Path) -> None:
    order = an_order(samples)
    other = Source("x", sorted(samples.glob("*.jpg"))[1])
    changed = [replace(order, seed=4), replace(order, strength=Strength.SEVERE), replace(order, source=other)]
    assert len({order.key, *(one.key for one in changed)}) == 4
    assert replace(order, source=replace(order.source, name="renamed")).key == order.key


MAKING = """
import sys
from pathlib import Path
from tiacam.capture import Kind, Strength
from tiacam.evaluate.captures import Order, make_all
from tiacam.evaluate.shelf import Source

if __name__ == "__main__":
    source = Source("picture", Path(sys.argv[1]).read_bytes())  # more than a pipe holds
    print("begun", flush=True)
    list(make_all([Order(source, Kind.PRINT, Strength.SEVERE, seed) for seed in range(int(sys.argv[2]))]))
"""


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="this system has no process groups")
@pytest.mark.parametrize("seconds", [0.0, 0.1, 0.2, 0.4])
def test_ctrl_c_ends_the_making_also_while_its_processes_start(
    samples: Path, tmp_path: Path, seconds: float
) -> None:
    """As a terminal sends it: to all processes of the group."""
    script = tmp_path / "making.py"
    script.write_text(MAKING)
    command = [sys.executable, script, sorted(samples.glob("*.jpg"))[0], str(100 * ALONE)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True) as making:
        assert making.stdout is not None
        assert making.stdout.readline() == "begun\n"
        time.sleep(seconds)
        os.killpg(making.pid, signal.SIGINT)
        try:
            assert making.wait(timeout=30) == -signal.SIGINT
        finally:
            making.kill()  # or a failure would wait for it
