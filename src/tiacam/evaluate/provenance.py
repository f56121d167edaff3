"""Where a number came from: the commit, the versions, the machine."""

from __future__ import annotations

import os
import platform
import subprocess
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

PACKAGES = ("numpy", "onnxruntime", "opencv-python-headless", "pillow", "pillow-heif", "tiacam")


def current_commit() -> str:
    """The commit of this source tree; $TIACAM_COMMIT names it where the files travel without their history."""
    if named := os.environ.get("TIACAM_COMMIT"):
        return named
    command = ["git", "rev-parse", "HEAD"]
    try:
        found = subprocess.run(command, cwd=Path(__file__).parent, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return found.stdout.strip()


def installed_versions() -> dict[str, str]:
    """Python and the packages that numbers depend on."""
    versions = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            continue
    return versions


def describe_device(provider: str) -> str:
    return f"{provider.removesuffix('ExecutionProvider')}, {platform.machine()}, {os.cpu_count()} cores"
