"""Every command takes a URL where it takes a file: registering, reading, auditing and moving on a server."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import tiacam
from tiacam.app import Tiacam
from tiacam.cli import main
from tiacam.registry import Registry, key_path

PICTURES = Path(tiacam.__file__).parent / "cli" / "pictures"
COFFEE, ROCKET = PICTURES / "coffee.jpg", PICTURES / "rocket.jpg"
Run = Callable[..., list[dict[str, Any]]]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, url: str) -> Run:
    """A command with `--json` on the registry of the test, its key in the test's own folder."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("TIACAM_REGISTRY", url)

    def call(*arguments: object, code: int = 0) -> list[dict[str, Any]]:
        capsys.readouterr()
        assert main([*map(str, arguments), "--json"]) == code
        return [json.loads(line) for line in capsys.readouterr().out.splitlines()]

    return call


def test_pictures_are_registered_and_read_on_a_server(run: Run, url: str, tmp_path: Path) -> None:
    (registered,) = run("register", COFFEE, "--message", "owner 4711", "--threads", 1)
    assert key_path(url).is_relative_to(tmp_path)
    assert key_path(url).exists()
    (read,) = run("read", COFFEE, "--threads", 1)
    assert (read["text"], read["id"]) == ("owner 4711", registered["id"])
    assert run("read", ROCKET, "--threads", 1, code=3)[0]["registered"] is False
    assert run("verify", COFFEE, "--id", registered["id"], "--threads", 1)[0]["registered"]
    assert [record["id"] for record in run("list")] == [registered["id"]]
    assert run("show", registered["id"])[0]["id"] == registered["id"]


def test_a_registry_on_a_server_is_audited_backed_up_and_moved(run: Run, tmp_path: Path) -> None:
    (registered,) = run("register", COFFEE, "--message", "owner 4711", "--threads", 1)
    assert run("audit", "--sign")[0]["tree_heads"] == 1
    run("prove", registered["id"], "--out", tmp_path / "proof.json")
    assert run("audit", "--proof", tmp_path / "proof.json")[0]["valid"]
    assert run("backup", tmp_path / "backup.tiacam")[0]["records"] == 1
    assert run("restore", tmp_path / "backup.tiacam")[0]["present"] == 1
    assert run("migrate")[0]["version"] == 4
    assert run("migrate", "--to", tmp_path / "moved.tiacam")[0]["added"] == 1
    with Registry.open(tmp_path / "moved.tiacam") as moved:
        assert moved.verify_chain().tree_heads == 1


def test_somebody_else_on_the_same_server_needs_a_key_of_his_own(
    run: Run, url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("register", COFFEE, "--message", "owner 4711", "--threads", 1)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "another"))
    run("register", ROCKET, "--message", "mine", "--threads", 1, code=1)
    assert not key_path(url).exists()
    run("keygen", tmp_path / "mine.key")
    run("register", ROCKET, "--message", "mine", "--threads", 1, "--key", tmp_path / "mine.key")
    with Tiacam.open(url, key=tmp_path / "mine.key", threads=1) as session:
        assert str(session.read(ROCKET).message) == "mine"
        assert len(session.registry.verify_chain().owners) == 2
