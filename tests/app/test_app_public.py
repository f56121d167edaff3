"""The names that `import tiacam` offers: few, and loaded on first use."""

from __future__ import annotations

import subprocess
import sys

import pytest

import tiacam


def test_at_most_a_dozen_names_are_public_and_all_of_them_exist() -> None:
    assert len(tiacam.__all__) <= 12
    assert all(getattr(tiacam, name).__name__ == name for name in tiacam.__all__)
    assert set(tiacam.__all__) < set(dir(tiacam))


def test_a_name_that_does_not_exist_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no_such_name"):
        tiacam.no_such_name  # noqa: B018


def test_importing_the_package_loads_nothing_heavy() -> None:
    heavy = "{'numpy', 'PIL', 'onnxruntime', 'cryptography', 'sqlite3', 'torch'}"
    code = f"import sys, tiacam; print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
