"""Records of measured numbers: what was run, on what, with which seed, and the rows."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from collections.abc import Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

PACKAGES = ("numpy", "opencv-python-headless", "pillow", "torch")


def write_record(
    path: Path, rows: Sequence[Mapping[str, Any]], *, command: str, seed: int, device: str, n: int
) -> None:
    """Write {"command", "commit", "seed", "versions", "device", "n", "rows"} as JSON."""
    record = {
        "command": command,
        "commit": current_commit(),
        "seed": seed,
        "versions": installed_versions(),
        "device": device,
        "n": n,
        "rows": [dict(row) for row in rows],
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")


def current_commit() -> str:
    """The commit that is checked out; $TIACAM_COMMIT names it where the files travel without their history."""
    if named := os.environ.get("TIACAM_COMMIT"):
        return named
    try:
        found = subprocess.run(["git", "rev-parse", "HEAD"], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return found.stdout.strip()


def installed_versions() -> dict[str, str]:
    """Python and the packages that numbers depend on."""
    versions = {"python": platform.python_version(), "platform": sys.platform}
    for package in PACKAGES:
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            continue
    return versions
