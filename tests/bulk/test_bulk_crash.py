"""`tiacam register` on a collection, killed in the midst: what it told is stored, and the next run does the rest."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from tiacam.registry import Registry


def command(collection: Path, folder: Path, *more: str) -> list[str]:
    return [
        *(
            sys.executable,
            "-m",
            "tiacam.cli",
            "register",
            str(collection),
            "--message",
            "owner 4711",
            "--json",
        ),
        *("--registry", str(folder / "registry.tiacam"), "--engine", "processes", "--workers", "2"),
        *("--failures", str(folder / "failures.jsonl"), *more),
    ]


def children_of(pid: int) -> list[int]:
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == pid:
            found.append(int(path.parent.name))
    return found


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_a_killed_run_loses_nothing_it_told_and_the_next_one_makes_no_duplicates(
    collection: Path, tmp_path: Path
) -> None:
    told: list[str] = []
    with subprocess.Popen(
        command(collection, tmp_path), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as first:
        assert first.stdout is not None
        told.append(json.loads(first.stdout.readline()).get("id", ""))
        workers = children_of(first.pid)
        first.send_signal(signal.SIGKILL)
        told += [json.loads(line).get("id", "") for line in first.stdout if line.endswith(b"\n")]
    with Registry.open(tmp_path / "registry.tiacam") as registry:
        assert {record_id for record_id in told if record_id} <= {record.id for record in registry.records()}
    deadline = time.monotonic() + 30
    while any(map(is_running, workers)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not any(map(is_running, workers)), "a worker outlived its parent"
    second = subprocess.run(
        command(collection, tmp_path), capture_output=True, text=True, check=False, timeout=120
    )
    assert second.returncode == 1  # one picture of the collection is none
    (failure,) = (tmp_path / "failures.jsonl").read_text().splitlines()
    assert json.loads(failure)["file"].endswith("broken.jpg")
    with Registry.open(tmp_path / "registry.tiacam") as registry:
        assert len(registry) == len(list(collection.iterdir())) - 1
        assert len({record.sha256 for record in registry.records()}) == len(registry)
        assert registry.verify_chain().tree_heads == 1
    assert "1 failed" in second.stderr
    assert "pictures a second, CPUExecutionProvider" in second.stderr


def test_a_worker_that_is_killed_is_replaced(collection: Path, tmp_path: Path) -> None:
    with subprocess.Popen(
        command(collection, tmp_path), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as run:
        assert run.stdout is not None
        first_line = run.stdout.readline()
        victims = [pid for pid in children_of(run.pid) if b"spawn_main" in read_command(pid)]
        if victims:
            os.kill(victims[0], signal.SIGKILL)
        lines = [first_line, *run.stdout]
    told = [json.loads(line) for line in lines]
    assert len(told) == len(list(collection.iterdir()))
    assert [Path(one["file"]).name for one in told if "error" in one] == ["broken.jpg"]


def read_command(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""
