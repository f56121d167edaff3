"""The record that every published number has: command, commit, seed, versions, device, n, and the rows.

from benchmarks.record import write
"""

from __future__ import annotations

import json
import os
import platform
import subprocess
from collections.abc import Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
PACKAGES = (
    "cryptography",
    "imagehash",
    "numpy",
    "onnxruntime",
    "opencv-python-headless",
    "pdqhash",
    "pillow",
    "scipy",
    "torch",
)


def write(
    path: Path,
    *,
    command: str,
    seed: int | None,
    n: int,
    rows: Sequence[Mapping[str, Any]],
    commit: str | None = None,
    **more: Any,
) -> None:
    """Write a record; `more` goes in beside the fixed fields (notes, targets, how to read the rows)."""
    record = {
        "command": command,
        "commit": commit or COMMIT,
        "seed": seed,
        "versions": read_versions(),
        "device": describe_device(),
        "n": n,
        **more,
        "rows": [dict(row) for row in rows],
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def read_commit() -> str:
    """The commit that is checked out, marked if the package's own files differ from it; "unknown" outside of git."""
    try:
        commit = _git("rev-parse", "HEAD").strip()
        return commit + (
            " with changes" if _git("status", "--porcelain", "src", "benchmarks").strip() else ""
        )
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def read_versions() -> dict[str, str]:
    versions = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            continue
    return versions


def describe_device() -> str:
    """The processor's name and how many of its cores this process may use, and how busy the machine was."""
    names = [line for line in _read("/proc/cpuinfo").splitlines() if line.startswith("model name")]
    name = names[0].partition(":")[2].strip() if names else platform.processor() or platform.machine()
    load = f", load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    return f"{name}, {os.cpu_count()} cores{load}"


def _git(*arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True).stdout


def _read(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8")
    except OSError:
        return ""


# Read when the run begins: by its end, others may have committed.
COMMIT = read_commit()
