"""What the harness's tests share: a bench of a few sample pictures."""

from __future__ import annotations

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
