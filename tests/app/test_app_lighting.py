"""Bad light: what glare and haze hide of a picture, and what a further look makes of it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from tiacam import Tiacam
from tiacam.app.aligning import Geometry
from tiacam.app.lighting import WithoutGlare, even, fill_glare
from tiacam.image import load
from tiacam.locate import Quad

Pixels = NDArray[np.uint8]
Open = Callable[..., Tiacam]


def test_glare_is_filled_and_the_rest_is_left_as_it_is(pictures: dict[str, Pixels]) -> None:
    picture = np.minimum(pictures["cat"][:200, :200], 200)
    shiny = picture.copy()
    shiny[60:90, 80:120] = 255
    filled = fill_glare(shiny)
    assert filled[60:90, 80:120].max() <= 210
    assert (filled[:50] == picture[:50]).all()
    assert (fill_glare(picture) == picture).all()


def test_a_picture_that_is_all_glare_is_no_error() -> None:
    assert fill_glare(np.full((64, 64, 3), 255, np.uint8)).shape == (64, 64, 3)


def test_a_look_without_glare_is_of_the_same_place(pictures: dict[str, Pixels]) -> None:
    place = Quad(((0.1, 0.1), (0.9, 0.1), (0.9, 0.8), (0.1, 0.8)), 1.0)
    look = WithoutGlare(place)
    assert look.name == "located, without glare"
    assert look.smallest_side == place.smallest_side
    picture = load(np.minimum(pictures["cat"], 200))
    assert (look.cut(picture, 64) == place.cut(picture, 64)).all()


def test_even_contrast_brings_out_what_haze_covers(pictures: dict[str, Pixels]) -> None:
    hazy = (200 + pictures["cat"][..., 1] * 0.08).astype(np.uint8)
    assert even(hazy).std() > 2 * hazy.std()


def test_landmarks_under_haze_are_found_with_evened_contrast(
    open_tiacam: Open, pictures: dict[str, Pixels]
) -> None:
    record = open_tiacam().register(pictures["coffee"], "coffee")
    hazy = load((180 + pictures["coffee"] * 0.1).astype(np.uint8))
    whole = Quad(((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)), 1.0)
    plain, evened = (Geometry(hazy, [whole], evened=evened) for evened in (False, True))
    assert len(evened.keypoints) > len(plain.keypoints)
    found = evened.place(record)
    assert found is not None
    assert found.alignment.p_value < 1e-6


def test_whoever_reads_a_photo_in_full_light_pays_for_no_look_without_glare(
    open_tiacam: Open, pictures: dict[str, Pixels]
) -> None:
    session = open_tiacam()
    session.register(pictures["cat"], "cat")
    _, verdict, lookup = session.explain(pictures["cat"])
    assert getattr(verdict, "registered", False)
    assert len(lookup.seen) == 1
