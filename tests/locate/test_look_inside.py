"""Pictures within what was located: the picture on a page, and not the page."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from tiacam.image import load
from tiacam.locate import Quad, load_locator

Pixels = NDArray[np.uint8]
PAGE = (100, 60, 900, 660)  # left, top, right, bottom in a photo of 1000 × 720
SHOWN = (260, 180, 740, 500)


def test_the_picture_on_a_page_is_found_within_the_page(pictures: dict[str, Pixels]) -> None:
    photo = np.full((720, 1000, 3), 70, np.uint8)
    left, top, right, bottom = PAGE
    photo[top:bottom, left:right] = 245
    x, y, end, low = SHOWN
    photo[y:low, x:end] = np.asarray(Image.fromarray(pictures["cat"]).resize((end - x, low - y)))
    page = Quad(((0.1, 60 / 720), (0.9, 60 / 720), (0.9, 660 / 720), (0.1, 660 / 720)), 1.0)
    (found, *_) = load_locator().look_inside(load(photo), [page], least_confidence=0.2)
    assert found.name.startswith("located inside")
    corners = found.in_pixels(1000, 720)
    assert corners.min(axis=0) == pytest.approx((x, y), abs=45)
    assert corners.max(axis=0) == pytest.approx((end, low), abs=45)


def test_nothing_located_has_nothing_inside(pictures: dict[str, Pixels]) -> None:
    assert load_locator().look_inside(load(pictures["cat"]), [], least_confidence=0.2) == []
