"""A disk that is full and a folder that cannot be written, met by real processes."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from registry_samples import KEY, fill, make_draft

from tiacam.registry import Registry

CHILD = Path(__file__).parent / "registry_child.py"


def run(*command: str | Path) -> Any:
    """What a child process told, after it ended well."""
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def check_full(outcome: dict[str, Any]) -> None:
    assert "disk is full" in outcome["reason"]
    assert outcome["seen_when_full"] == len(outcome["stored"]) - 1
    assert outcome["kept"] == outcome["stored"]
    assert len(outcome["stored"]) > 5


def test_a_quota_stops_adding_without_loss_and_adding_goes_on_when_it_is_lifted(tmp_path: Path) -> None:
    path = tmp_path / "registry.sqlite"
    outcome = run(sys.executable, CHILD, "fill-small-disk", path, "limit")
    check_full(outcome)
    with Registry.open(path) as registry:
        assert [record.id for record in registry.records()] == outcome["stored"]
        registry.verify_chain()


def test_a_full_disk_stops_adding_without_loss_and_adding_goes_on_when_there_is_room(tmp_path: Path) -> None:
    """A real file system of one megabyte, in a mount namespace of its own."""
    private = ["unshare", "--mount"] if os.getuid() == 0 else ["unshare", "--map-root-user", "--mount"]
    mount = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(tmp_path)]
    if (
        not shutil.which("unshare")
        or subprocess.run([*private, *mount], capture_output=True, check=False).returncode
    ):
        pytest.skip("no mount namespace here: only the quota form of this test runs")
    child = [sys.executable, str(CHILD), "fill-small-disk", str(tmp_path / "registry.sqlite"), "ballast"]
    check_full(run(*private, "sh", "-c", f"{shlex.join(mount)} && {shlex.join(child)}"))


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that any user may enter; pytest's own are closed to others."""
    path = Path(tempfile.mkdtemp(prefix="tiacam-registry-"))
    path.chmod(0o755)
    yield path
    path.chmod(0o755)
    shutil.rmtree(path)


def use_unwritable(path: Path) -> dict[str, Any]:
    path.parent.chmod(0o555)
    outcome: dict[str, Any] = run(sys.executable, CHILD, "use-unwritable", path, "")
    if outcome["writable"]:
        pytest.skip("this system lets even an unprivileged user write to a folder of mode 0555")
    return outcome


def test_a_registry_in_a_read_only_folder_can_be_read_and_refuses_to_be_written(folder: Path) -> None:
    path = folder / "registry.sqlite"
    fill(path, 5)
    path.chmod(0o444)
    outcome = use_unwritable(path)
    assert outcome["records"] == 5
    assert "read-only" in outcome["error"]


def test_a_registry_cannot_be_made_in_a_read_only_folder(folder: Path) -> None:
    outcome = use_unwritable(folder / "registry.sqlite")
    assert "read-only" in outcome["error"]
    assert list(folder.iterdir()) == []


def test_a_read_only_registry_that_somebody_else_has_open_is_read_with_its_newest_records(
    folder: Path,
) -> None:
    path = folder / "registry.sqlite"
    with Registry.open(path) as registry:
        registry.add(make_draft(), KEY)
        for file in folder.iterdir():
            file.chmod(0o444)
        outcome = use_unwritable(path)
    assert outcome["records"] == 1
    assert "read-only" in outcome["error"]


def test_records_that_only_the_log_holds_are_not_passed_over_in_a_read_only_folder(folder: Path) -> None:
    path = folder / "registry.sqlite"
    with Registry.open(folder / "live.sqlite") as registry:
        registry.add(make_draft(), KEY)
        shutil.copy(folder / "live.sqlite", path)
        shutil.copy(folder / "live.sqlite-wal", folder / "registry.sqlite-wal")
    outcome = use_unwritable(path)
    assert "records" not in outcome
    assert "registry.sqlite-wal holds records" in outcome["error"]


def test_a_read_only_file_in_a_writable_folder_can_be_read(folder: Path) -> None:
    path = folder / "registry.sqlite"
    fill(path, 3)
    path.chmod(0o444)
    folder.chmod(0o777)
    outcome = run(sys.executable, CHILD, "use-unwritable", path, "")
    assert outcome["records"] == 3
    assert "read-only" in outcome["error"]
