"""What the command line's tests share: the command itself, and a registry with two records."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from cli_samples import COFFEE, ROCKET, Outcome, call

from tiacam.cli import main


@pytest.fixture
def tiacam(capsys: pytest.CaptureFixture[str]) -> object:
    """The command, called in this process: `tiacam("read", photo)`."""

    def run(*arguments: object) -> Outcome:
        capsys.readouterr()
        code = call(main, arguments)
        captured = capsys.readouterr()
        return Outcome(code, captured.out, captured.err)

    return run


@pytest.fixture
def registry(tmp_path: Path) -> Path:
    return tmp_path / "registry.tiacam"


@pytest.fixture(scope="session")
def original_registry(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Coffee with the text "owner 4711" and rocket with 20 bits, registered once for all tests."""
    path = tmp_path_factory.mktemp("original") / "registry.tiacam"
    assert main(["register", str(COFFEE), "--message", "owner 4711", "--registry", str(path)]) == 0
    assert (
        main(["register", str(ROCKET), "--hex", "0beef", "--note", "lift-off", "--registry", str(path)]) == 0
    )
    return path


@pytest.fixture
def filled(original_registry: Path, registry: Path) -> Path:
    """A copy of that registry with its key, for one test to spoil."""
    shutil.copy(original_registry, registry)
    shutil.copy(f"{original_registry}.key", f"{registry}.key")
    return registry
