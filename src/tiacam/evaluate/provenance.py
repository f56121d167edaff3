"""Where a table's numbers came from."""

from __future__ import annotations

import os
import platform

from tiacam.provenance import current_commit, installed_versions

__all__ = ["current_commit", "describe_device", "installed_versions"]


def describe_device(provider: str) -> str:
    """What computed the features; not how busy it was, for a run that is resumed must find the same text."""
    return f"{provider.removesuffix('ExecutionProvider')}, {platform.machine()}, {os.cpu_count()} cores"
