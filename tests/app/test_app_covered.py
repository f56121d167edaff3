"""Pictures that reach out of the photo, or under a plain margin of it: what is seen of them is enough."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from tiacam import Tiacam
from tiacam.app.covered import Uncovered, clipped, covered, margin_over
from tiacam.image import load
from tiacam.locate import Quad
from tiacam.locate.quad import to_points

Pixels = NDArray[np.uint8]
Open = Callable[..., Tiacam]
SQUARE = ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0))
LOWER_RIGHT = (0.5, 0.5, 1.0, 1.0)


def moved(picture: Pixels, share: float) -> Pixels:
    """To the lower right, black where nothing is left."""
    height, width = picture.shape[:2]
    down, across = round(share * height), round(share * width)
    shown = np.zeros_like(picture)
    shown[down:, across:] = picture[: height - down, : width - across]
    return shown


def test_the_area_in_a_box_is_that_of_what_both_share() -> None:
    assert clipped(SQUARE, (0.25, 0.0, 2.0, 0.5)) == pytest.approx(0.375)
    diamond = ((0.5, 0.0), (1.0, 0.5), (0.5, 1.0), (0.0, 0.5))
    assert clipped(diamond, (0.0, 0.0, 0.5, 0.5)) == pytest.approx(0.125)
    assert clipped(diamond, (0.9, 0.9, 1.0, 1.0)) == 0


@given(st.floats(-1, 1), st.floats(-1, 1), st.floats(0.1, 3), st.floats(0, 0.9), st.floats(0.05, 1))
def test_a_share_is_a_share(x: float, y: float, side: float, left: float, width: float) -> None:
    place = to_points(np.array(SQUARE) * side + (x, y))
    share = covered(place, (left, 0.0, min(1.0, left + width), 1.0))
    assert -1e-9 <= share <= 1 + 1e-9


def test_a_margin_beside_the_picture_is_in_nobody_s_way(pictures: dict[str, Pixels]) -> None:
    page = np.full((400, 400, 3), 255, np.uint8)
    page[100:300, 100:300] = pictures["cat"][:200, :200]
    inside = to_points(np.array(SQUARE) / 2 + 0.25)
    beyond = to_points(np.array(SQUARE) * 0.7 + 0.25)
    nothing, box = margin_over(load(page), [inside, beyond])
    assert nothing is None
    assert box == pytest.approx((0.25, 0.25, 0.75, 0.75), abs=0.01)
    assert margin_over(load(page), []) == []


def test_what_a_margin_covers_is_seen_as_a_mirror_image(pictures: dict[str, Pixels]) -> None:
    shown = load(moved(pictures["cat"][:400, :400], 0.5))
    look = Uncovered(Quad(((0.5, 0.5), (1.5, 0.5), (1.5, 1.5), (0.5, 1.5)), 1.0), LOWER_RIGHT)
    assert look.name == "located, without margin"
    assert look.smallest_side == pytest.approx(1)
    seen = look.cut(shown, 64).astype(int)
    assert np.abs(seen[:32] - seen[:31:-1]).mean() < 1
    assert np.abs(seen[:, :32] - seen[:, :31:-1]).mean() < 1


@pytest.mark.parametrize("name", ["coffee", "cat"])
def test_a_quarter_of_a_picture_that_was_moved_out_of_its_frame_is_read(
    open_tiacam: Open, pictures: dict[str, Pixels], name: str
) -> None:
    tiacam = open_tiacam()
    record = tiacam.register(pictures[name], name)
    verdict = tiacam.read(moved(pictures[name], 0.4))
    assert verdict.record_id == record.id
