"""How far a job is: a bar on a terminal, lines where nobody watches, nothing where it was not asked for."""

from __future__ import annotations

import os
import select
import termios
import time

import pytest

from tiacam import progress
from tiacam.progress import describe, progress_bar, silence, told_time


@pytest.fixture
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "INTERVAL_S", 0.05)


@pytest.mark.usefixtures("hurried")
def test_a_long_job_tells_its_count_its_rate_and_the_time_left(capsys: pytest.CaptureFixture[str]) -> None:
    for _ in progress_bar(range(8), "registering", unit="file"):
        time.sleep(0.03)
    captured = capsys.readouterr()
    *lines, last = captured.err.splitlines()
    assert captured.out == ""
    assert 2 <= len(lines) <= 4
    assert all(line.startswith("registering: ") and " of 8 files, " in line for line in lines)
    assert all(line.endswith(" left") and " a second, " in line for line in lines)
    assert last.startswith("registering: 8 of 8 files, ")
    assert last.endswith(" a second, in 0 s")
    assert "\r" not in captured.err


def test_a_short_job_tells_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    with progress_bar(total=3, desc="audit") as bar:
        for number in range(3):
            bar.update()
            bar.set_postfix(loss=number)
    assert list(progress_bar(range(3))) == [0, 1, 2]
    assert capsys.readouterr().err == ""


@pytest.mark.usefixtures("hurried")
def test_a_silent_job_tells_nothing_however_long_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    with silence(), progress_bar(total=3) as bar:
        time.sleep(0.1)
        bar.update()
    assert capsys.readouterr().err == ""
    with progress_bar(total=3) as bar:
        time.sleep(0.1)
        bar.update()
    assert capsys.readouterr().err != ""


@pytest.mark.usefixtures("hurried")
def test_a_job_without_an_end_tells_its_count_alone(capsys: pytest.CaptureFixture[str]) -> None:
    with progress_bar(unit="record", leave=False) as bar:
        for _ in range(2):
            time.sleep(0.06)
            bar.update(1000)
            bar.set_postfix(loss="0.5")  # said with the next line, and no reason for one
    first, second = capsys.readouterr().err.splitlines()
    assert first.startswith("progress: 1,000 records, ")
    assert second.endswith("a second, loss=0.5")
    assert "left" not in first + second


def test_a_terminal_gets_a_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    ours, theirs = os.openpty()
    termios.tcsetwinsize(theirs, (24, 80))
    with os.fdopen(theirs, "w", encoding="utf-8") as terminal:
        monkeypatch.setattr("sys.stderr", terminal)
        list(progress_bar(range(3), "reading"))
        terminal.flush()
        shown = b""
        while b"3/3" not in shown and select.select([ours], [], [], 10)[0]:  # it may come in pieces
            shown += os.read(ours, 4096)
    os.close(ours)
    assert b"\rreading: 100%" in shown


@pytest.mark.parametrize(
    ("seconds", "told"), [(0.4, "0 s"), (99, "99 s"), (100, "2 min"), (5900, "98 min"), (12000, "3 h 20 min")]
)
def test_times_are_told_in_units_that_people_use(seconds: float, told: str) -> None:
    assert told_time(seconds) == told


def test_a_slow_job_tells_how_long_each_one_takes() -> None:
    state = {"n": 15, "initial": 5, "total": 25, "elapsed": 40.0, "unit": "it", "prefix": "", "postfix": None}
    assert describe(state) == "progress: 15 of 25 steps, 4.0 s each, 40 s left"
