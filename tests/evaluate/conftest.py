"""What the harness's tests share: a bench of a few sample pictures."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tiacam.cli.demo import PICTURES
from tiacam.evaluate import Bench, open_bench
from tiacam.model import FeatureModel


@pytest.fixture(scope="session")
def samples() -> Path:
    """The twelve pictures of the demonstration."""
    return Path(PICTURES)


@pytest.fixture(scope="session")
def bench(model: FeatureModel, samples: Path) -> Bench:
    return open_bench(model, samples, 6, 3)


@pytest.fixture
def printed(samples: Path, tmp_path: Path) -> Path:
    """Two pictures, each its own photo of a print."""
    lines = []
    for number, path in enumerate(sorted(samples.glob("*.jpg"))[:2]):
        for name in (f"{number}.jpg", f"photo{number}.jpg"):
            shutil.copy(path, tmp_path / name)
        lines.append({"original": f"{number}.jpg", "captured": f"photo{number}.jpg", "medium": "print"})
    (tmp_path / "pairs.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    return tmp_path
