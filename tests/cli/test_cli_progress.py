"""What the commands tell of long jobs where stderr is no terminal."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from cli_samples import COFFEE, Outcome

Command = Callable[..., Outcome]


@pytest.fixture
def copies(tmp_path: Path) -> list[Path]:
    for number in range(6):
        (tmp_path / f"{number}.jpg").write_bytes(COFFEE.read_bytes())
    return sorted(tmp_path.glob("*.jpg"))


@pytest.mark.parametrize("quiet", [(), ("--quiet",)])
def test_registering_reading_and_auditing_tell_how_far_they_are_unless_they_shall_be_quiet(
    tiacam: Command,
    registry: Path,
    copies: list[Path],
    monkeypatch: pytest.MonkeyPatch,
    quiet: tuple[str, ...],
) -> None:
    monkeypatch.setattr("tiacam.progress.INTERVAL_S", 0.0)
    place = ("--registry", registry, "--threads", 1, "--json", *quiet)
    registered = tiacam("register", *copies, "--message", "x", *place)
    read = tiacam("read", *copies, *place)
    audited = tiacam("audit", "--registry", registry, *quiet)
    for outcome, line in ((registered, "registering: 6 of 6 files, "), (read, "reading: 6 of 6 files, ")):
        assert len(outcome.objects) == 6
        assert (line in outcome.err) is (not quiet)
    assert ("audit: 1 of 1 records, " in audited.err) is (not quiet)
    if quiet:
        assert read.err == audited.err == ""


def test_a_short_job_tells_nothing_of_its_progress(
    tiacam: Command, registry: Path, copies: list[Path]
) -> None:
    assert tiacam("register", *copies, "--message", "x", "--registry", registry).code == 0
    assert tiacam("read", *copies, "--registry", registry).err == ""
