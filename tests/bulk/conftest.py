"""A collection of small pictures that differ, with one among them that is none."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

COUNT = 40


@pytest.fixture(scope="session")
def collection(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("collection")
    rng = np.random.default_rng(7)
    for number in range(COUNT):
        coarse = Image.fromarray(rng.integers(0, 256, (6, 6, 3), np.uint8))
        coarse.resize((96, 96), Image.Resampling.BICUBIC).save(folder / f"{number:03d}.jpg", quality=90)
    (folder / "broken.jpg").write_bytes(b"\xff\xd8\xff\xe0 no picture")
    return folder
