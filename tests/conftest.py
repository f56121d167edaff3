"""What the tests of several folders share: the model, loaded once, and a few freely licensed pictures."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import settings
from numpy.typing import NDArray
from PIL import Image
from skimage import data

from tiacam.app import Tiacam
from tiacam.model import FeatureModel, load_model

Pixels = NDArray[np.uint8]

# How long an example takes says more about the machine than about the code.
settings.register_profile("tiacam", deadline=None)
settings.load_profile("tiacam")


@pytest.fixture(scope="session")
def model() -> FeatureModel:
    return load_model(threads=1)


@pytest.fixture(scope="session")
def pictures() -> dict[str, Pixels]:
    """scikit-image's bundled colour pictures, (H, W, 3)."""
    samples: Any = data
    return {
        "astronaut": samples.astronaut(),
        "cat": samples.chelsea(),
        "coffee": samples.coffee(),
        "rocket": samples.rocket(),
        "galaxies": np.asarray(samples.hubble_deep_field()[:512, :512]),
    }


@pytest.fixture(scope="session")
def photo_files(pictures: dict[str, Pixels], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The same pictures as JPEG files."""
    folder = tmp_path_factory.mktemp("photos")
    for name, pixels in pictures.items():
        Image.fromarray(pixels).save(folder / f"{name}.jpg", quality=92)
    return {name: folder / f"{name}.jpg" for name in pictures}


@pytest.fixture
def open_tiacam(tmp_path: Path) -> Iterator[Callable[..., Tiacam]]:
    """Opens registries in the test's own folder, and closes them afterwards."""
    opened: list[Tiacam] = []

    def open_one(name: str = "pictures.tiacam", **options: object) -> Tiacam:
        opened.append(Tiacam.open(tmp_path / name, threads=1, **options))  # type: ignore[arg-type]
        return opened[-1]

    yield open_one
    for tiacam in opened:
        tiacam.close()
