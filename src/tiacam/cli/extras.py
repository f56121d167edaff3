"""What a command needs beyond the plain installation."""

from __future__ import annotations

from importlib.util import find_spec

from tiacam.errors import UsageError


def require_extra(package: str, extra: str) -> None:
    """Say which extra brings a package, where it is missing."""
    if find_spec(package) is None:
        raise UsageError(f"this command needs {package}: pip install 'tiacam[{extra}]'")
