"""What is looked at in a photo, and how closely."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from tiacam import Tiacam
from tiacam.app.aligning import Geometry
from tiacam.app.sights import further_sights
from tiacam.image import Picture, load
from tiacam.locate import WHOLE, Quad
from tiacam.locate.rectify import homography

Pixels = NDArray[np.uint8]
Open = Callable[..., Tiacam]
WIDTH, HEIGHT = 900, 700
TILTED = np.array([(300, 90), (760, 180), (640, 600), (160, 480)], np.float64)
LOCATED = Quad(
    tuple((float(x) / WIDTH, float(y) / HEIGHT) for x, y in TILTED),  # type: ignore[arg-type]
    confidence=0.9,
    turns=(0.4, 0.3, 0.2, 0.1),
)


def photo_of(picture: Pixels) -> Picture:
    """It lies tilted on something grey."""
    height, width = picture.shape[:2]
    source = np.array([(0, 0), (width, 0), (width, height), (0, height)], np.float64)
    seen = Image.fromarray(picture).transform(
        (WIDTH, HEIGHT),
        Image.Transform.PERSPECTIVE,
        tuple(homography(TILTED, source).ravel()[:8]),
        Image.Resampling.BICUBIC,
        fillcolor=(128, 128, 128),
    )
    return load(np.asarray(seen))


def test_what_was_located_is_turned_only_where_a_record_is_near(pictures: dict[str, Pixels]) -> None:
    photo = load(pictures["cat"])
    vague = replace(LOCATED, confidence=0.3)
    (near,) = further_sights(photo, [LOCATED], [LOCATED], near=True)
    (far,) = further_sights(photo, [LOCATED], [LOCATED], near=False)
    assert [sight.name for sight in near] == ["whole", *(f"located, turned {k * 90}°" for k in (1, 2, 3))]
    assert [sight.name for sight in far] == ["whole"]
    assert further_sights(photo, [vague], [WHOLE], near=False)[0] == [vague]


@pytest.mark.parametrize("hasty", [False, True])
def test_landmarks_found_in_the_located_part_are_placed_in_the_photo(
    open_tiacam: Open, pictures: dict[str, Pixels], hasty: bool
) -> None:
    record = open_tiacam().register(pictures["cat"], "cat")
    photo = photo_of(pictures["cat"])
    found = Geometry(photo, [LOCATED], hasty=hasty).place(record)
    assert found is not None
    assert np.abs(np.array(found.alignment.corners) * (WIDTH, HEIGHT) - TILTED).max() < 8
    assert found.alignment.p_value < 1e-9


def test_what_was_searched_in_haste_is_searched_again_with_care(
    open_tiacam: Open, pictures: dict[str, Pixels]
) -> None:
    record = open_tiacam().register(pictures["coffee"], "coffee")
    geometry = Geometry(photo_of(pictures["coffee"]), [LOCATED], hasty=True)
    assert geometry.find([record])
    few = len(geometry.keypoints)
    assert not geometry.find([record])  # not twice
    geometry.look_closer()
    assert geometry.find([record])
    assert len(geometry.keypoints) > few


def test_a_picture_too_small_to_be_searched_alone_has_the_whole_photo_searched(
    pictures: dict[str, Pixels],
) -> None:
    photo = load(pictures["cat"])
    speck = replace(LOCATED, corners=((0.5, 0.5), (0.52, 0.5), (0.52, 0.52), (0.5, 0.52)))
    assert len(Geometry(photo, [speck]).keypoints) == len(Geometry(photo).keypoints)


def test_the_whole_photo_is_not_searched_in_haste(pictures: dict[str, Pixels]) -> None:
    photo = load(pictures["coffee"])
    assert not Geometry(photo, hasty=True).hasty
    assert Geometry(photo, [LOCATED], hasty=True).hasty
